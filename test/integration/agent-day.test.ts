// A day of work, on every wire format: a failing test in a repository, a look around, an edit that fails and one that works, refusals of each kind,
// a way out of the sandbox that is asked for, a server in the background that the next command calls, and a commit. What the model is told must be
// the same everywhere, but for the wire's own limits. `npm test` runs it with each way to edit, `npm run test:long` on every wire: what differs
// between wires is a test of the providers.
import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { AgentStage } from "../support/agent-stage.ts";
import type { Answer, ScriptedToolCall } from "../support/model-server/script.ts";
import type { WireName } from "../support/model-server/seen-request.ts";
import { rounds } from "../support/rounds.ts";

const call = (name: string, input: object): ScriptedToolCall => ({ name, input });
const bash = (command: string, more: object = {}) => call("bash", { command, ...more });

/** Models that are trained on patches have no `edit`. */
function editing(isPatching: boolean, oldText: string, newText: string): ScriptedToolCall {
  if (!isPatching) return call("edit", { path: "sum.js", old_string: oldText, new_string: newText });
  const lines = ["*** Begin Patch", "*** Update File: sum.js", "@@", `-${oldText}`, `+${newText}`, "*** End Patch"];
  return call("apply_patch", { input: lines.join("\n") });
}

const server = `import { renameSync, writeFileSync } from "node:fs";
import http from "node:http";
import { sum } from "./sum.js";
const server = http.createServer((_, answer) => answer.end("it says " + sum(2, 3))).listen(0, "127.0.0.1", () => {
  writeFileSync("port.new", String(server.address().port));
  renameSync("port.new", "port");
});
`;

const client = `import { existsSync, readFileSync } from "node:fs";
while (!existsSync("port")) await new Promise((resolve) => setTimeout(resolve, 20));
const answer = await fetch("http://127.0.0.1:" + readFileSync("port", "utf8"));
console.log(await answer.text());
`;

const dayOf = (isPatching: boolean): readonly Answer[] => [
  { text: "First the tests.", toolCalls: [bash("node --test")] },
  {
    toolCalls: [
      call("grep", { pattern: "sum" }),
      call("read", { path: "sum.js" }),
      call("list_directory", { path: "." }),
    ],
  },
  { toolCalls: [editing(isPatching, "export const sum = (a, b) => a * b;", "x")] },
  { toolCalls: [editing(isPatching, "export const sum = (a, b) => a - b;", "export const sum = (a, b) => a + b;")] },
  {
    toolCalls: [
      call("read", { path: "missing.js" }),
      call("read", {}),
      call("no_such_tool", {}),
      call("write", { path: "/etc/evil", content: "x" }),
      call("write", { path: "notes.md", content: "x" }),
      bash("touch /etc/evil"),
      bash("touch /etc/evil", { escalate: { reason: "The sandbox denied it." } }),
      bash("printenv SIGNALBOX_NETWORK || echo sum.js from outside", { escalate: { reason: "To see." } }),
      bash("rm sum.js"),
      bash("curl -s https://example.org", { network: true }),
      { name: "bash", broken: '{"command": ' },
    ],
  },
  {
    toolCalls: [bash("node server.js", { background: true }), bash("node --test && node client.js")],
  },
  { toolCalls: [bash("git add -A && git commit -qm 'sum adds' && git log --format=%s -1")] },
  { text: "Mended and committed." },
];

interface Wire {
  readonly name: WireName;
  readonly provider: string;
  readonly base: string;
  readonly model: string;
  readonly more?: object;
}

const wires: readonly Wire[] = [
  { name: "openai-responses", provider: "openai", base: "/v1", model: "gpt-5.5", more: { api: "responses" } },
  { name: "anthropic", provider: "anthropic", base: "/v1", model: "claude-sonnet-4-5" },
  { name: "openai-chat", provider: "openai", base: "/v1", model: "local", more: { api: "chat" } },
  { name: "gemini", provider: "gemini", base: "/v1beta", model: "gemini-2.5-pro" },
  { name: "ollama", provider: "ollama", base: "", model: "qwen3" },
];

function git(folder: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: folder, encoding: "utf8" });
}

it.each(wires.slice(0, rounds({ some: 2, all: wires.length })))(
  "over $name",
  async ({ name, provider, base, model, more }) => {
    const isPatching = model.startsWith("gpt-");
    await using stage = await AgentStage.open(dayOf(isPatching), {
      flags: [],
      config: (url) => ({
        provider,
        providers: { [provider]: { base_url: `${url}${base}`, model, ...more } },
        permissions: [{ deny: "command:rm *" }],
      }),
      prepare: (project) => {
        git(project, "init", "-q");
        git(project, "config", "user.name", "Test");
        git(project, "config", "user.email", "test@example.org");
      },
      // What is about sum.js is allowed: the edit, and a command outside. The note, the network and another command outside are not.
      permission: ({ toolCall }) => (JSON.stringify(toolCall).includes("sum.js") ? "allow_once" : "reject_once"),
    });
    stage.put("package.json", '{ "type": "module" }\n');
    stage.put("sum.js", "export const sum = (a, b) => a - b;\n");
    stage.put("server.js", server);
    stage.put("client.js", client);
    stage.put(
      "sum.test.js",
      'import assert from "node:assert";\nimport { test } from "node:test";\nimport { sum } from "./sum.js";\ntest("adds", () => assert.equal(sum(2, 3), 5));\n',
    );

    expect(await stage.prompt("The test fails. Mend it and commit.")).toEqual({ stopReason: "end_turn" });
    expect(new Set(stage.server.requests.map(({ wire }) => wire))).toEqual(new Set([name]));
    const { tools = [] } = stage.server.requests[0] ?? {};
    expect([tools.includes("edit"), tools.includes("apply_patch")]).toEqual([!isPatching, isPatching]);
    // A tool to think is for models that may not think by themselves.
    expect(tools.includes("thinking")).toBe(model === "local" || model === "qwen3");
    const results = stage.results();
    const expected = [
      /^Exit code 1\n[\s\S]*-1 == 5/,
      /sum\.test\.js/,
      /a - b/,
      /server\.js/,
      /not found[\s\S]*The nearest text is:\n1\texport const sum = \(a, b\) => a - b;/,
      isPatching ? /^Done: edited sum\.js\.$/ : /^Edited sum\.js\.$/,
      /no file missing\.js|missing\.js/,
      /input of read is not valid/,
      /There is no tool no_such_tool/,
      /\/etc\/evil/,
      /did not allow this call of write/,
      /Exit code 1\n[\s\S]*\/etc\/evil/,
      /did not allow this call of bash/,
      /^sum\.js from outside\n$/,
      /a rule forbids it \(deny command:rm \*\)/,
      /may not use the network/,
      /not valid JSON|not valid/,
      /^Started as job_\d+\./,
      /it says 5\n$/,
      /^sum adds\n?$/,
    ];
    expect(results).toHaveLength(expected.length);
    for (const [index, pattern] of expected.entries()) expect(results[index]).toMatch(pattern);
    expect(git(stage.project, "log", "--format=%s", "-1")).toBe("sum adds\n");
    expect(stage.agent.questions).toHaveLength(5);
    expect(stage.agent.text()).toContain("Mended and committed.");
  },
);
