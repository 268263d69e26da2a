// For tests: a real workspace in a folder of its own, and tools called as the executor calls them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ToolCallContent } from "@agentclientprotocol/sdk";
import type { PermissionDecision } from "@signalbox/tool-calls";
import { parseInput } from "../../loop/parse-input.ts";
import { openWorkspace, type WorkspaceAccess, type WorkspaceOptions } from "../open-workspace.ts";
import type { PermissionQuestion, Tool, ToolContext, ToolResult } from "../tool.ts";
import type { Workspace } from "../workspace.ts";

export interface TestFolder extends AsyncDisposable {
  readonly cwd: string;
  /** A folder beside it that is not the session's. */
  readonly outside: string;
  readonly home: string;
  readonly workspace: Workspace;
  path(name: string): string;
  put(name: string, content: string | Uint8Array): string;
}

/** Not below /tmp, which is writable in every mode. */
export function testFolder(options: Partial<WorkspaceOptions> = {}): TestFolder {
  const base = mkdtempSync("/var/tmp/signalbox-tools-");
  const [cwd, outside, home] = [join(base, "project"), join(base, "outside"), join(base, "signalbox")];
  for (const folder of [cwd, outside, home]) mkdirSync(folder);
  const workspace = openWorkspace({ cwd, additionalDirectories: [], home, access: defaultAccess, ...options });
  const path = (name: string) => join(cwd, name);
  return {
    cwd,
    outside,
    home,
    workspace,
    path,
    put(name, content) {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), content);
      return path(name);
    },
    async [Symbol.asyncDispose]() {
      await workspace.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

function defaultAccess(): WorkspaceAccess {
  return { mode: "sandbox", network: false, writable: [] };
}

export interface Trial extends ToolResult {
  /** All text that the model gets. */
  readonly text: string;
  readonly shown: readonly (readonly ToolCallContent[])[];
  readonly asked: readonly PermissionQuestion[];
}

export interface TrialOptions {
  readonly signal?: AbortSignal;
  readonly decide?: (question: PermissionQuestion) => PermissionDecision | Promise<PermissionDecision>;
  readonly onProgress?: ToolContext["onProgress"];
  readonly onShow?: () => void;
}

/** Checks the input as the executor does, then runs the tool. */
export async function tryTool(
  tool: Tool,
  workspace: Workspace,
  input: unknown,
  options: TrialOptions = {},
): Promise<Trial> {
  const shown: (readonly ToolCallContent[])[] = [];
  const asked: PermissionQuestion[] = [];
  const parsed = parseInput(tool, input);
  if (!parsed.success) throw parsed.error;
  const result = await tool.execute(parsed.data, {
    workspace,
    signal: options.signal ?? new AbortController().signal,
    onProgress: options.onProgress ?? (() => {}),
    show: (content) => {
      shown.push(content);
      options.onShow?.();
    },
    toolCallId: "call",
    paused: (work) => work(),
    ask: async (question) => {
      asked.push(question);
      return (await options.decide?.(question)) ?? { allowed: false, message: "The user said no." };
    },
  });
  const text = result.content.map((part) => (part.type === "text" ? part.text : `<${part.type}>`)).join("\n");
  return { ...result, text, shown, asked };
}
