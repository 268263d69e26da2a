import type { ClientFiles, ClientTerminals } from "@signalbox/agent-kit";
import { describe, expect, it } from "vitest";
import { openShell } from "./bash.ts";
import { clientTools, parseClientTool } from "./client-tools.ts";
import { ToolFiles } from "./files.ts";
import { SeenFiles } from "./seen-files.ts";
import { TestClient } from "./test-client.ts";

function toolsOf({ terminals, ...client }: ClientFiles & { terminals?: ClientTerminals }) {
  const shell =
    terminals === undefined
      ? undefined
      : openShell(terminals, { cwd: "/", escalates: false, keep: async () => undefined });
  return clientTools({ client, files: new ToolFiles(client, "/", {}), seen: new SeenFiles(), shell });
}

const { readTextFile, writeTextFile, clientTerminals: terminals } = new TestClient();

const fileTools = ["mcp__acp__Read", "mcp__acp__Write", "mcp__acp__Edit"];

describe("tools by what the client can do", () => {
  it.each([
    [{}, [], []],
    // Claude Code's own tools fit together, and so do ours.
    [{ readTextFile }, [], []],
    [{ writeTextFile }, [], []],
    [{ readTextFile, writeTextFile }, fileTools, ["Read", "Write", "Edit", "NotebookEdit"]],
    [
      { terminals },
      ["mcp__acp__Bash", "mcp__acp__BashOutput", "mcp__acp__KillShell"],
      ["Bash", "BashOutput", "KillShell", "PowerShell", "Monitor"],
    ],
  ])("%#", (client, names, replaced) => {
    expect(toolsOf(client)).toMatchObject({ names, replaced });
  });

  it("are meant also where the model calls them by the names that it knows", () => {
    const [Read, Write, Edit] = fileTools;
    expect(toolsOf({ readTextFile, writeTextFile }).aliases).toEqual({ Read, Write, Edit });
    expect([parseClientTool("mcp__acp__Read"), parseClientTool("Read"), parseClientTool("mcp__acpx__Read")]).toEqual([
      "Read",
      null,
      null,
    ]);
  });
});
