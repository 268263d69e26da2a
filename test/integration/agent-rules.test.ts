// Tests that deny rules hold in our agent: where a path leads, and for every part of a command.
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AgentStage } from "../support/agent-stage.ts";

describe("a rule that forbids", () => {
  const rules = (...permissions: object[]) => ({ config: { permissions } });

  it("holds for where a path leads, and before the file is looked at", async () => {
    const text = "the secret word is heather";
    await using stage = await AgentStage.open(
      [
        {
          toolCalls: [
            { name: "read", input: { path: "link/word.txt" } },
            { name: "edit", input: { path: "secrets/word.txt", old_string: "the secret word is", new_string: "x" } },
            { name: "edit", input: { path: "secrets/word.txt", old_string: "the secret word was", new_string: "x" } },
          ],
        },
        { text: "Done." },
      ],
      rules({ decision: "deny", path: "secrets/**" }),
    );
    mkdirSync(join(stage.project, "secrets"));
    stage.put("secrets/word.txt", text);
    symlinkSync("secrets", join(stage.project, "link"));
    await stage.prompt("What is it?");
    expect(stage.results()).toHaveLength(3);
    for (const result of stage.results()) expect(result).toContain("a rule forbids it (deny path:secrets/**)");
    expect(JSON.stringify(stage.agent.updates)).not.toContain("heather");
  });

  it("is named whole, with its command", async () => {
    await using stage = await AgentStage.open(
      [{ toolCalls: [{ name: "bash", input: { command: "true; rm a.txt" } }] }, { text: "Done." }],
      rules({ decision: "deny", command: "rm *" }),
    );
    await stage.prompt("Remove it.");
    expect(stage.results()).toEqual([expect.stringContaining("(deny command:rm *)")]);
  });

  it("finds the command however it is spelled, also where everything is allowed", async () => {
    const commands = [
      "/bin/rm a.txt",
      "FOO=1 rm a.txt",
      "rm\ta.txt",
      "r''m a.txt",
      "nice -n 5 rm a.txt",
      "if true; then rm a.txt; fi",
      "sudo rm a.txt",
    ];
    await using stage = await AgentStage.open(
      [{ toolCalls: commands.map((command) => ({ name: "bash", input: { command } })) }, { text: "Done." }],
      rules({ allow: "all" }, { deny: "command:rm *" }),
    );
    stage.put("a.txt", "here");
    await stage.prompt("Remove it.");
    expect(stage.results()).toEqual(commands.map(() => expect.stringContaining("a rule forbids it")));
    expect(existsSync(join(stage.project, "a.txt"))).toBe(true);
  });
});

describe("a rule that asks", () => {
  it("is followed before a failed edit shows the model what is in the file", async () => {
    const wrong = { path: "secrets/word.txt", old_string: "the secret word was", new_string: "x" };
    await using stage = await AgentStage.open([{ toolCalls: [{ name: "edit", input: wrong }] }, { text: "Done." }], {
      config: { permissions: [{ ask: "path:secrets/**" }] },
      permission: () => "reject_once",
    });
    mkdirSync(join(stage.project, "secrets"));
    stage.put("secrets/word.txt", "the secret word is heather");
    await stage.prompt("What is it?");
    expect(stage.results()).toHaveLength(1);
    expect(JSON.stringify([stage.results(), stage.agent.updates])).not.toContain("heather");
  });
});
