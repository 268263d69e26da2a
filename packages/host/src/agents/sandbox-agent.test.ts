// Which agents are sandboxed, and what is prepared for them in a private home.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Enforcement } from "@signalbox/sandbox";
import { afterEach, describe, expect, it, vi } from "vitest";
import { TemporaryFolder } from "../../../../test/support/host-process.ts";
import { findPrivateFolder, removePrivateFolder } from "./agent-home.ts";
import { agentSandboxes } from "./agent-sandboxes.ts";
import { listKnownAgents, listOwnAgents } from "./known-agents.ts";
import { type AgentDefinition, AgentRegistry, type AgentSandbox } from "./registry.ts";
import { returnLogIns } from "./return-log-ins.ts";
import { sandboxAgent } from "./sandbox-agent.ts";

const on: Enforcement = { kind: "landlock", helper: "/helper", layer: "namespaces", abi: 7 };
const weaker: Enforcement = { kind: "landlock", helper: "/helper", layer: "landlock", abi: 7 };
const own = listOwnAgents({ command: "signalbox", args: [], version: "1" }, "/data", {
  provider: undefined,
  providers: {},
});
const all = [...own, ...listKnownAgents("/data")];

function agent(id: string): AgentDefinition {
  const found = all.find((each) => each.id === id);
  if (found === undefined) throw new Error(id);
  return found;
}

function placeOf(id: string, more: Partial<Parameters<typeof sandboxAgent>[0]> = {}) {
  const home = { privateFolder: join(homedir(), "private"), canOverlay: true };
  return sandboxAgent({ definition: agent(id), wanted: true, enforcement: on, env: {}, ...home, ...more });
}

afterEach(() => vi.unstubAllEnvs());

describe("an agent that is to be sandboxed", () => {
  it("gets a private home, in which its real state shows through a layer, and the real home is left alone", () => {
    using home = new TemporaryFolder();
    vi.stubEnv("HOME", home.path);
    mkdirSync(home.in(".claude"));
    writeFileSync(home.in(".claude.json"), '{"oauthAccount":1}');
    const place = placeOf("claude-code");
    if (place.type !== "sandboxed") throw new Error(place.why);
    const layer = home.in("private/home-.claude");
    const standIn = { type: "overlay", lower: home.in(".claude"), upper: `${layer}/upper`, work: `${layer}/work` };
    expect(place.places).toMatchObject({
      home: home.in("private/home"),
      layers: [{ path: home.in(".claude"), standIn }],
    });
    expect(statSync(`${layer}/upper`).mode & 0o777).toBe(0o700);
    expect(readFileSync(home.in("private/home/.claude.json"), "utf8")).toBe('{"oauthAccount":1}');
    expect(readdirSync(home.path).toSorted()).toEqual([".claude", ".claude.json", "private"]);
    expect(readdirSync(home.in(".claude"))).toEqual([]);
  });

  it("gets copies of what its row names where no overlay can be mounted, and newer ones at the next start", () => {
    using home = new TemporaryFolder();
    vi.stubEnv("HOME", home.path);
    mkdirSync(home.in(".pi/agent/extensions"), { recursive: true });
    writeFileSync(home.in(".pi/agent/auth.json"), "{}");
    writeFileSync(home.in(".pi/agent/extensions/evil.js"), "");
    const upper = home.in("private/home-.pi/upper");
    const layers = [{ path: home.in(".pi"), standIn: { type: "folder", folder: upper } }];
    expect(placeOf("pi", { canOverlay: false })).toMatchObject({ places: { layers } });
    expect(readdirSync(join(upper, "agent"))).toEqual(["auth.json"]);
    writeFileSync(home.in(".pi/agent/auth.json"), '{"new":1}');
    utimesSync(home.in(".pi/agent/auth.json"), new Date(), new Date(Date.now() + 5000));
    placeOf("pi", { canOverlay: false });
    expect(readFileSync(join(upper, "agent/auth.json"), "utf8")).toBe('{"new":1}');
  });

  it("gets no file through a link that it left behind", () => {
    using home = new TemporaryFolder();
    vi.stubEnv("HOME", home.path);
    writeFileSync(home.in(".claude.json"), "{}");
    mkdirSync(home.in("private/home"), { recursive: true });
    symlinkSync(home.in("made-outside"), home.in("private/home/.claude.json"));
    utimesSync(home.in(".claude.json"), new Date(), new Date(Date.now() + 5000));
    expect(placeOf("claude-code").type).toBe("sandboxed");
    expect(existsSync(home.in("made-outside"))).toBe(false);
  });

  it.each([true, false])("touches nothing through a folder that the agent made a link (overlay: %s)", (canOverlay) => {
    using home = new TemporaryFolder();
    vi.stubEnv("HOME", home.path);
    const later = new Date(Date.now() + 5000);
    for (const folder of [".pi/agent", "private/home-.pi/upper", "outside"])
      mkdirSync(home.in(folder), { recursive: true });
    for (const name of ["auth.json", "settings.json"]) {
      writeFileSync(home.in(`.pi/agent/${name}`), '{"a":{"access":"mine"}}');
      writeFileSync(home.in(`outside/${name}`), '{"a":{"access":"theirs"}}');
    }
    symlinkSync(home.in("outside"), home.in("private/home-.pi/upper/agent"));
    for (const name of ["auth.json", "settings.json"]) utimesSync(home.in(`.pi/agent/${name}`), later, later);
    const place = placeOf("pi", { canOverlay });
    if (place.type !== "sandboxed") throw new Error(place.why);
    for (const name of ["auth.json", "settings.json"])
      expect(readFileSync(home.in(`outside/${name}`), "utf8")).toContain("theirs");
    utimesSync(home.in(".pi/agent/auth.json"), 1, 1);
    returnLogIns(agentSandboxes.pi as AgentSandbox, place.places);
    expect(readFileSync(home.in(".pi/agent/auth.json"), "utf8")).toContain("mine");
  });

  it("leaves a home that is removed without touching what its links lead to", () => {
    using data = new TemporaryFolder();
    mkdirSync(data.in("outside/work"), { recursive: true, mode: 0o755 });
    const [whole, part] = ["one", "other"].map((id) => findPrivateFolder(data.path, id));
    mkdirSync(`${whole}/home`, { recursive: true });
    symlinkSync(data.in("outside"), `${whole}/home/work`);
    mkdirSync(`${part}/home/work`, { recursive: true });
    symlinkSync(data.in("outside/work"), `${part}/home/work/work`);
    for (const id of ["one", "other"]) removePrivateFolder(data.path, id);
    expect([whole, part].map((path) => existsSync(path ?? ""))).toEqual([false, false]);
    expect(statSync(data.in("outside/work")).mode & 0o777).toBe(0o755);
  });

  it("looks where the user's variables lead", () => {
    using home = new TemporaryFolder();
    vi.stubEnv("HOME", home.path);
    mkdirSync(home.in("moved"));
    const env = { CODEX_HOME: home.in("moved"), XDG_DATA_HOME: home.in("data") };
    expect(placeOf("codex-native", { env })).toMatchObject({ places: { layers: [{ path: home.in("moved") }] } });
    expect(placeOf("goose", { env })).toMatchObject({
      places: {
        layers: [
          { path: home.in("data/goose") },
          { path: home.in(".local/state/goose") },
          { path: home.in(".config/goose") },
        ],
      },
    });
    expect(existsSync(home.in(".codex"))).toBe(false);
  });

  it.each([
    ["its folder is the home folder", "codex-native", (home: string) => ({ CODEX_HOME: home }), /whole home folder/],
    ["its folder holds the home folder", "codex-native", () => ({ CODEX_HOME: "/" }), /whole home folder/],
    ["its folder is a relative one", "claude-code", () => ({ CLAUDE_CONFIG_DIR: "here" }), /no absolute path/],
    ["its folders are moved elsewhere", "gemini", () => ({ GEMINI_CLI_HOME: "/elsewhere" }), /GEMINI_CLI_HOME moves/],
  ])("stays outside and says why where %s", (_, id, env, why) => {
    using home = new TemporaryFolder();
    vi.stubEnv("HOME", home.path);
    const place = placeOf(id, { env: env(home.path) });
    expect(place).toMatchObject({ type: "unsandboxed", why: expect.stringMatching(why) as unknown });
  });

  it("stays outside where the machine cannot hold it, or the agent makes sandboxes itself", () => {
    expect(placeOf("goose", { enforcement: weaker })).toMatchObject({
      type: "unsandboxed",
      why: expect.stringContaining("needs namespaces") as unknown,
    });
    for (const id of ["demo", "signalbox", "claude"]) {
      expect(placeOf(id)).toMatchObject({ type: "unsandboxed", why: expect.stringContaining("itself") as unknown });
    }
  });

  it("runs inside where no one chose, unless its row says why not", () => {
    using home = new TemporaryFolder();
    vi.stubEnv("HOME", home.path);
    const sandboxed = listKnownAgents("/data").filter(
      ({ id }) => placeOf(id, { wanted: undefined }).type === "sandboxed",
    );
    expect(sandboxed.map(({ id }) => id)).toEqual(
      "claude-code codex codex-native gemini opencode goose qwen copilot cline grok nanocoder pi".split(" "),
    );
    expect(placeOf("auggie", { wanted: undefined })).toMatchObject({
      why: expect.stringContaining("not tried") as unknown,
    });
    expect(placeOf("claude-code", { wanted: false })).toMatchObject({ why: "You chose that for it." });
    const definition: AgentDefinition = { id: "mine", label: "Mine", command: "my-agent", args: [] };
    expect(placeOf("pi", { definition, wanted: undefined })).toMatchObject({
      why: expect.stringContaining("does not know which folders Mine needs") as unknown,
    });
  });

  it.each([
    ["its id", { id: "goose", command: "my-goose", args: [] }, "goose"],
    ["its program", { id: "mine", command: "/opt/bin/gemini", args: ["--acp"] }, "gemini"],
    ["its package", { id: "mine", command: "npx", args: ["-y", "@zed-industries/codex-acp@0.16.0"] }, "codex-native"],
  ])("is known under the user's own command line by %s", (_, line, known) => {
    const registry = new AgentRegistry([...all, { label: "My own", ...line }]);
    expect(registry.find(line.id)).toMatchObject({ command: line.command, sandbox: agent(known).sandbox });
    const { command, args } = line;
    const added = registry.find(registry.addCommand({ command, args }));
    expect(added?.sandbox).toEqual(known === "goose" ? undefined : agent(known).sandbox);
  });
});
