// Claude Code asks, the person answers, and no answer is a no.
import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from "@agentclientprotocol/sdk";
import type { Elicitations } from "@signalbox/agent-kit";
import { deniedByKey } from "@signalbox/tool-calls";
import { beforeEach, describe, expect, it } from "vitest";
import type { PermissionContext, PermissionMode, PermissionUpdate } from "../sdk/sdk.ts";
import { SessionToolCalls } from "../updates/session-tool-calls.ts";
import { KeptUpdates } from "../updates/test-updates.ts";
import { elicitationCallback } from "./elicitations.ts";
import { decideOwnTool } from "./own-tools.ts";
import { permissionCallback } from "./permission-callback.ts";
import { alwaysLabel } from "./permission-options.ts";

const suggestions: PermissionUpdate[] = [
  {
    type: "addRules",
    rules: [{ toolName: "Bash", ruleContent: "npm test:*" }],
    behavior: "allow",
    destination: "localSettings",
  },
];

let asked: RequestPermissionRequest[];
let answer: (request: RequestPermissionRequest) => Promise<RequestPermissionResponse>;
let mode: PermissionMode;
let updates: KeptUpdates;
let elicitations: Elicitations | null;

beforeEach(() => {
  asked = [];
  mode = "default";
  updates = new KeptUpdates();
  elicitations = null;
  answer = async () => ({ outcome: { outcome: "selected", optionId: "allow_once" } });
});

async function ask(name: string, input: Record<string, unknown>, context: Partial<PermissionContext> = {}) {
  const calls = new SessionToolCalls({ client: updates, sessionId: "s", cwd: "/work" });
  const client = {
    requestPermission: async (request: RequestPermissionRequest) => {
      asked.push(request);
      return await answer(request);
    },
  };
  const place = () => ({ cwd: "/work", folders: ["/more"], plans: "/home/me/.claude/plans", mode });
  const modes: PermissionMode[] = ["default", "acceptEdits", "plan"];
  const callback = permissionCallback({ sessionId: "s", client, calls, place, modes, elicitations });
  return await callback(name, input, { signal: new AbortController().signal, toolUseID: "t", ...context });
}

const choose = (optionId: string) => {
  answer = async () => ({ outcome: { outcome: "selected", optionId } });
};
const noOneThere = expect.stringMatching(/^No one is there to be asked\./);
const tooLate = expect.stringMatching(/^No one answered in time\./);
const ours = { mcpServer: { name: "acp", source: "sdk" } };

describe("a question", () => {
  it("shows the call as it will be, and offers once, always and no", async () => {
    const result = await ask("Bash", { command: "npm test" }, { suggestions });
    expect(result).toMatchObject({ behavior: "allow", updatedInput: { command: "npm test" } });
    expect(asked).toMatchObject([
      {
        toolCall: {
          toolCallId: "t",
          name: "Bash",
          kind: "execute",
          title: "`npm test`",
          rawInput: { command: "npm test" },
        },
        options: [
          { kind: "allow_always", name: "Always allow Bash(npm test:*) in this session" },
          { kind: "allow_once" },
          { kind: "reject_once" },
        ],
      },
    ]);
    expect(updates.calls).toMatchObject([{ toolCallId: "t", status: "in_progress" }]);
  });

  it("hands Claude Code's own suggestion back when the answer is always, for the session", async () => {
    choose("allow_always");
    expect(await ask("Bash", { command: "x" }, { suggestions })).toMatchObject({
      behavior: "allow",
      updatedPermissions: suggestions.map((update) => ({ ...update, destination: "session" })),
    });
  });

  it("offers no always where there is none, or where Claude Code forbids it", async () => {
    await ask("Bash", { command: "x" });
    await ask("Bash", { command: "x" }, { suggestions, suppressAlwaysAllowRule: true });
    choose("allow_always");
    expect(await ask("Bash", { command: "x" })).toMatchObject({ behavior: "deny" });
    expect(asked.map(({ options }) => options.map(({ kind }) => kind))).toEqual(
      asked.map(() => ["allow_once", "reject_once"]),
    );
  });

  it("is a no when it is refused, unanswered, failed, or answered with something else", async () => {
    choose("reject_once");
    expect(await ask("Bash", { command: "x" })).toMatchObject({ behavior: "deny" });
    choose("whatever");
    expect(await ask("Bash", { command: "x" })).toMatchObject({ behavior: "deny" });
    answer = async () => await Promise.reject(new Error("gone"));
    expect(await ask("Bash", { command: "x" })).toMatchObject({ behavior: "deny" });
    answer = async () => ({ outcome: { outcome: "cancelled" } });
    expect(await ask("Bash", { command: "x" })).toMatchObject({ behavior: "deny", interrupt: true });
    expect(updates.calls).toMatchObject([{ status: "pending" }]);
  });

  it("about leaving plan mode says how to go on, in modes that there are", async () => {
    choose("acceptEdits");
    const result = await ask("ExitPlanMode", { plan: "# Plan" });
    expect(result).toMatchObject({
      updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
    });
    expect(asked[0]?.options.map(({ optionId }) => optionId)).toEqual(["default", "acceptEdits", "reject_once"]);
    expect(asked[0]?.toolCall.content).toMatchObject([{ content: { text: "# Plan" } }]);
  });

  it("of Claude's own is put to the person, each of them", async () => {
    const questions = ["One?", "Two?"].map((question) => ({ question, options: [{ label: "A" }, { label: "B" }] }));
    choose("answer_2");
    expect(await ask("AskUserQuestion", { questions })).toMatchObject({
      updatedInput: { answers: { "One?": "B", "Two?": "B" } },
    });
    choose("reject_once");
    expect(await ask("AskUserQuestion", { questions })).toMatchObject({ behavior: "deny" });
    expect(await ask("AskUserQuestion", {})).toMatchObject({ behavior: "deny" });
    expect(asked).toHaveLength(3);
  });

  it.each([
    ["command", noOneThere],
    ["timeout", tooLate],
    ["rule", expect.stringMatching(/^A rule of the user/)],
    ["person", "The user did not want to answer."],
  ])("of Claude's own that %s left without an answer is told so", async (by, message) => {
    const questions = [{ question: "One?", options: [{ label: "A" }] }];
    const outcome = { outcome: "selected" as const, optionId: "reject_once", _meta: { [deniedByKey]: by } };
    answer = async () => ({ outcome });
    expect(await ask("AskUserQuestion", { questions })).toEqual({ behavior: "deny", message });
  });
});

describe("a client that shows forms", () => {
  const red = { label: "Red", description: "like fire" };
  const questions = [
    { question: "Which?", options: [red, { label: "Blue" }] },
    { question: "Where?", options: [{ label: "Here" }, { label: "There" }], multiSelect: true },
  ];
  let sent: CreateElicitationRequest[];
  const shows = (reply: CreateElicitationResponse | Error): Elicitations => ({
    form: true,
    url: false,
    create: async (request) => {
      sent.push(request);
      if (reply instanceof Error) throw reply;
      return reply;
    },
  });

  beforeEach(() => {
    sent = [];
  });

  it("gets all of Claude's questions immediately", async () => {
    elicitations = shows({ action: "accept", content: { answer_1: "Blue", answer_2: ["Here", "There"] } });
    expect(await ask("AskUserQuestion", { questions })).toMatchObject({
      behavior: "allow",
      updatedInput: { answers: { "Which?": "Blue", "Where?": "Here, There" } },
    });
    expect(asked).toEqual([]);
    expect(sent).toMatchObject([
      {
        mode: "form",
        sessionId: "s",
        toolCallId: "t",
        requestedSchema: {
          properties: {
            answer_1: {
              type: "string",
              title: "Which?",
              oneOf: [{ const: "Red", description: "like fire" }, { const: "Blue" }],
            },
            answer_2: { type: "array", title: "Where?", items: { anyOf: [{ const: "Here" }, { const: "There" }] } },
          },
          required: ["answer_1", "answer_2"],
        },
      },
    ]);
  });

  it.each([
    [{ action: "decline" } as const, { behavior: "deny" }],
    [{ action: "cancel" } as const, { behavior: "deny", interrupt: true }],
    [{ action: "accept", content: { answer_1: "Red" } } as const, { behavior: "deny" }],
    [new Error("gone"), { behavior: "deny", interrupt: true }],
  ])("has answered nothing with %j", async (reply, result) => {
    elicitations = shows(reply);
    expect(await ask("AskUserQuestion", { questions })).toMatchObject(result);
  });

  it.each([
    ["command", noOneThere],
    ["timeout", tooLate],
  ])("does not end the turn where %s left the form without an answer, and tells the truth", async (by, message) => {
    elicitations = shows({ action: "cancel", _meta: { [deniedByKey]: by } });
    expect(await ask("AskUserQuestion", { questions })).toEqual({ behavior: "deny", message });
  });

  it("gets what MCP servers ask, and only what it can show", async () => {
    const signal = new AbortController().signal;
    const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
    const callback = elicitationCallback(
      "s",
      shows({ action: "accept", content: { name: "Ada", odd: null as unknown as string } }),
    );
    expect(await callback({ message: "Who?", requestedSchema }, { signal })).toEqual({
      action: "accept",
      content: { name: "Ada" },
    });
    expect(sent).toEqual([{ mode: "form", sessionId: "s", message: "Who?", requestedSchema }]);
    const page = { message: "Log in", mode: "url" as const, url: "https://x", elicitationId: "e" };
    expect(await callback(page, { signal })).toEqual({ action: "decline" });
    const pages = elicitationCallback("s", { ...shows({ action: "accept" }), form: false, url: true });
    expect(await pages(page, { signal })).toEqual({ action: "accept" });
    expect(await pages({ message: "Who?" }, { signal })).toEqual({ action: "decline" });
  });
});

describe("our own tools", () => {
  it("read without permission where the session works, and ask elsewhere", async () => {
    await ask("mcp__acp__Read", { file_path: "/work/src/a" }, ours);
    await ask("mcp__acp__Read", { file_path: "/more/a" }, ours);
    expect(asked).toEqual([]);
    await ask("mcp__acp__Read", { file_path: "/work/../etc/passwd" }, ours);
    await ask("mcp__acp__Read", { file_path: "/work2/a" }, ours);
    expect(asked).toHaveLength(2);
  });

  it("are not taken for a stranger's that calls itself the same", async () => {
    await ask("mcp__acp__Read", { file_path: "/work/a" }, { mcpServer: { name: "acp", source: "project" } });
    await ask("mcp__acp__Read", { file_path: "/work/a" });
    expect(asked).toHaveLength(2);
  });

  const place = (current: PermissionMode) => ({
    cwd: "/work",
    folders: ["/home/me/.signalbox/worktrees/one"],
    plans: "/home/me/.claude/plans",
    mode: current,
  });

  it.each([
    ["Write", "/work/a", "default", "ask"],
    ["Write", "/work/a", "acceptEdits", "allow"],
    ["Edit", "a", "acceptEdits", "allow"],
    ["Edit", "/etc/passwd", "acceptEdits", "ask"],
    ["Edit", "/work/.git/hooks/pre-commit", "acceptEdits", "ask"],
    ["Edit", "/work/.claude/settings.json", "acceptEdits", "ask"],
    ["Write", "/work/.Claude/commands/a.md", "acceptEdits", "ask"],
    ["Write", ".vscode/launch.json", "acceptEdits", "ask"],
    ["Write", "src/.mcp.json", "acceptEdits", "ask"],
    ["Write", "/work/.Zed/tasks.json", "acceptEdits", "ask"],
    ["Write", "a.code-workspace", "acceptEdits", "ask"],
    ["Write", ".config/mise/config.toml", "acceptEdits", "ask"],
    ["Write", ".config/other.toml", "acceptEdits", "allow"],
    ["Write", "/home/me/.signalbox/worktrees/one/a.ts", "acceptEdits", "allow"],
    ["Write", "/home/me/.signalbox/worktrees/one/.signalbox/config.json", "acceptEdits", "ask"],
    ["Write", "/work/a", "plan", "deny"],
    ["Write", "/home/me/.claude/plans/one.md", "plan", "allow"],
    ["Write", "/home/me/.claude/plans/../settings.json", "plan", "deny"],
    ["Write", "/home/me/.claude/plans/one.sh", "plan", "deny"],
    ["Write", "/home/me/.claude/plans/deeper/one.md", "plan", "deny"],
    ["Write", "/home/me/.claude/plans-of-others/one.md", "plan", "deny"],
    ["Bash", "", "acceptEdits", "ask"],
    ["BashOutput", "", "default", "allow"],
    ["KillShell", "", "default", "allow"],
    ["SomethingNew", "", "acceptEdits", "ask"],
  ] as const)("%s of %s in the mode %s: %s", (name, file_path, current, decision) => {
    expect(decideOwnTool(name, { file_path }, place(current)).type).toBe(decision);
  });
});

describe("an always", () => {
  it("says everything that it would allow", () => {
    const folders: PermissionUpdate = { type: "addDirectories", directories: ["/x"], destination: "session" };
    const edits: PermissionUpdate = { type: "setMode", mode: "acceptEdits", destination: "session" };
    const all: PermissionUpdate = {
      type: "addRules",
      rules: [{ toolName: "mcp__acp__Bash" }],
      behavior: "allow",
      destination: "session",
    };
    expect(alwaysLabel([edits, folders])).toBe("Always allow all edits and the folder /x in this session");
    expect(alwaysLabel([all])).toBe("Always allow Bash for everything in this session");
  });
});
