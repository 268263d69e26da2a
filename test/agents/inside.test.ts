// Real agents from npm inside the sandbox, with everything they start: a turn with their own shell, a cancel, a restart and a second turn. What a
// command of theirs tries outside comes to nothing.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { agentSandboxes } from "../../packages/host/src/agents/agent-sandboxes.ts";
import { ModelServer } from "../support/model-server/model-server.ts";
import type { ScriptedToolCall } from "../support/model-server/script.ts";
import { AgentDrive, AgentHome, type Person } from "./agent-drive.ts";
import { type InsideAgent, insideAgents } from "./inside-agents.ts";
import { installAgent } from "./install-agents.ts";
import { scriptedTurns } from "./scripted-turn.ts";

/** Files that a start outside was seen to obey. They may be written inside, and must not reach the real state. */
const obeyedOutside = [
  ".claude/shell-snapshots/a.sh",
  ".pi/agent/trust.json",
  ".qwen/locales/en.js",
  ".codex/.env",
  ".gemini/policies/x.toml",
  ".copilot/mcp-config.json",
  ".cline/data/settings/cline_mcp_settings.json",
  ".cline/hooks/a",
];

/** Every file below a folder with its content, by its path there. */
function readTree(folder: string): ReadonlyMap<string, string> {
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  const paths = files.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [relative(folder, path), readFileSync(path, "latin1")]));
}

/** Names in the private state that no row has decided about. */
function listUndecided(id: string, privateFolder: string): readonly string[] {
  return (agentSandboxes[id]?.state ?? []).flatMap(({ place, data, obeyed, programs = [] }) => {
    const layer = join(privateFolder, `${place.in}-${place.path.replaceAll("/", "-")}`, "upper");
    const patterns = [...data, ...obeyed, ...programs].map(
      (name) => new RegExp(`^${name.replaceAll(".", "\\.").replaceAll("*", "[^/]*")}(?:/|$)`),
    );
    return [...readTree(layer).keys()].filter((name) => !patterns.some((pattern) => pattern.test(name)));
  });
}

/** Each line says what it could do, in a file that the test reads. */
function probe(home: string, beside: string, port: number): string {
  return [
    "echo yes > made.txt",
    `echo no > "${home}/left.txt"`,
    ...obeyedOutside.map((name) => `mkdir -p "${home}/$(dirname ${name})" && echo no > "${home}/${name}"`),
    `(echo no > "${beside}") 2>/dev/null && echo beside >> escaped.txt`,
    `grep -q bait "${home}/.ssh/id_bait" 2>/dev/null && echo ssh >> escaped.txt`,
    `grep -q bait "${home}/.augment/session.json" 2>/dev/null && echo other-agent >> escaped.txt`,
    `[ -n "$SSH_AUTH_SOCK" ] && echo ssh-agent >> escaped.txt`,
    `bash -c 'echo x > /dev/tcp/127.0.0.1/${port}' 2>/dev/null && echo network >> escaped.txt`,
    "curl -s --max-time 20 http://example.org/ | grep -q refused || echo unanswered >> escaped.txt",
    "echo finished >> probed.txt",
  ].join("\n");
}

/** Lets the agent work, and no host through that is not on the list. */
const person: Person = ({ subject }) => (subject?.kind === "fetch" ? "reject_once" : "allow_once");

async function tellStory(agent: InsideAgent): Promise<void> {
  const { id } = agent;
  vi.stubEnv("PATH", `${await installAgent(agent)}:${process.env.PATH}`);
  vi.stubEnv("SSH_AUTH_SOCK", "/run/agent.sock");
  const shell = (command: string): ScriptedToolCall => agent.shell(command);
  await using model = await ModelServer.start((request) =>
    scriptedTurns({
      Begin: [shell("sh ./probe.sh"), "All done."],
      Wait: [shell("echo started > started.txt; sleep 300"), "I waited."],
      Again: ["Still here."],
    })(request),
  );
  using home = new AgentHome(id);
  const beside = `${home.path}-beside.txt`;
  for (const name of [".ssh/id_bait", ".augment/session.json"]) {
    mkdirSync(dirname(join(home.path, name)), { recursive: true });
    writeFileSync(join(home.path, name), "bait\n");
  }
  vi.stubEnv("HOME", home.path);
  for (const [name, value] of Object.entries(agent.settings(home.path, model.url))) vi.stubEnv(name, value);
  const [program, ...words] = agent.before?.(model.url) ?? [];
  if (program !== undefined) await promisify(execFile)(program, words, { cwd: home.path, timeout: 100_000 });
  const before = readTree(home.path);
  let reached = 0;
  const bait = createServer(() => reached++);
  await new Promise<void>((resolve) => bait.listen(0, "127.0.0.1", resolve));
  const baitPort = (bait.address() as AddressInfo).port;
  const network = { allow: [new URL(model.url).host] };
  await using drive = await AgentDrive.start(id, { config: { sandbox: { network } } });
  expect(drive.sandbox?.detail).toContain("runs inside Signalbox's sandbox");
  expect(drive.sandbox?.network).toBe("allow-list");
  writeFileSync(drive.work.in("probe.sh"), `${probe(home.path, beside, baitPort)}\n`);
  const turn = await drive.prompt("Begin", person);
  expect(turn).toMatchObject({ status: "ended", stop_reason: "end_turn", error: null });
  expect((await drive.messages()).at(-1)).toMatch(/All done\.$/);
  expect(existsSync(drive.work.in("probed.txt"))).toBe(true);
  expect(readFileSync(drive.work.in("made.txt"), "utf8")).toBe("yes\n");
  const escaped = existsSync(drive.work.in("escaped.txt")) ? readFileSync(drive.work.in("escaped.txt"), "utf8") : "";
  expect(escaped).toBe("");
  expect(readTree(home.path)).toEqual(before);
  expect(listUndecided(id, drive.privateFolder)).toEqual([]);
  expect(reached).toBe(0);
  bait.close();

  if (agent.firstTurnOnly === true) return;
  await cancelRunning(drive);
  await drive.restart();
  expect(await drive.prompt("Again", person)).toMatchObject({ status: "ended", stop_reason: "end_turn" });
  expect((await drive.messages()).at(-1)).toMatch(/Still here\.$/);
  expect(readTree(home.path)).toEqual(before);
  expect(listUndecided(id, drive.privateFolder)).toEqual([]);
}

async function cancelRunning(drive: AgentDrive): Promise<void> {
  const waiting = drive.prompt("Wait", person);
  await vi.waitFor(() => expect(existsSync(drive.work.in("started.txt"))).toBe(true), 60_000);
  await drive.screen.ask("run.cancel", { thread_id: drive.threadId });
  expect(await waiting).toMatchObject({ stop_reason: "cancelled" });
}

/** A session that was made inside goes to the real state and is resumed outside, as in a terminal. */
async function resumeOutside(agent: InsideAgent): Promise<void> {
  const { id } = agent;
  vi.stubEnv("PATH", `${await installAgent(agent)}:${process.env.PATH}`);
  await using model = await ModelServer.start((request) =>
    scriptedTurns({ Begin: ["All done."], Again: ["Still here."] })(request),
  );
  using home = new AgentHome(id);
  vi.stubEnv("HOME", home.path);
  for (const [name, value] of Object.entries(agent.settings(home.path, model.url))) vi.stubEnv(name, value);
  await using inside = await AgentDrive.start(id, { config: { agents: { [id]: { return_sessions: true } } } });
  expect(await inside.prompt("Begin", person)).toMatchObject({ status: "ended", stop_reason: "end_turn" });
  await inside.screen.request({ control: "session.close", thread_id: inside.threadId });
  const { rows } = await inside.screen.query("threads.list", { cwd: inside.work.path });
  await using outside = await AgentDrive.start(id, { config: { agents: { [id]: { sandbox: false } } } });
  const cwd = inside.work.path;
  const listed = (await outside.screen.query("agent_sessions.list", { agent_id: id, cwd })).rows;
  const session_id = rows[0]?.session_id ?? "";
  expect(listed.map((session) => session.session_id)).toContain(session_id);
  await outside.adopt(session_id, cwd);
  expect((await outside.messages()).join("\n")).toContain("All done.");
  expect(await outside.prompt("Again", person)).toMatchObject({ status: "ended", stop_reason: "end_turn" });
}

describe("inside the sandbox, through the host", () => {
  it.each(insideAgents.map((agent) => [agent.id, agent] as const))(
    "%s runs and reaches nothing outside; it cancels and resumes, unless its row says that this cannot be seen",
    (_, agent) => tellStory(agent),
    300_000,
  );

  it.each(insideAgents.filter(({ id }) => agentSandboxes[id]?.state.some(({ sessions }) => sessions !== undefined)))(
    "a session of $id goes back where the person says so, and is resumed outside",
    resumeOutside,
    300_000,
  );
});
