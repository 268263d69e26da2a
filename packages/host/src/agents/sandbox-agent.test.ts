// Which agents are sandboxed, and what is prepared for them in the home folder.
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Enforcement } from "@signalbox/sandbox";
import { afterEach, describe, expect, it, vi } from "vitest";
import { TemporaryFolder } from "../../../../test/support/host-process.ts";
import { listKnownAgents, listOwnAgents } from "./known-agents.ts";
import { type AgentDefinition, AgentRegistry } from "./registry.ts";
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
  return sandboxAgent({ definition: agent(id), wanted: true, enforcement: on, env: {}, ...more });
}

afterEach(() => vi.unstubAllEnvs());

describe("an agent that is to be sandboxed", () => {
  it("gets its folders, and settings that can be made read-only, where they are missing", () => {
    using home = new TemporaryFolder();
    vi.stubEnv("HOME", home.path);
    writeFileSync(home.in(".claude.json"), '{"oauthAccount":1}');
    const place = placeOf("claude-code");
    if (place.type !== "sandboxed") throw new Error(place.why);
    const folder = home.in(".claude");
    const settings = ["settings.json", "hooks", "commands", "agents", "skills"].map((name) => join(folder, name));
    expect(place.places).toEqual({ state: [folder], readOnly: settings });
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(folder, "settings.json"), "utf8")).toBe("{}\n");
    expect(place.definition.env).toMatchObject({ CLAUDE_CONFIG_DIR: folder });
    expect(readFileSync(join(folder, ".claude.json"), "utf8")).toBe('{"oauthAccount":1}');
  });

  it("cannot make what its next start outside would obey, nor change what its settings name", () => {
    using home = new TemporaryFolder();
    vi.stubEnv("HOME", home.path);
    const folder = home.in(".claude");
    mkdirSync(join(folder, "plugins"), { recursive: true });
    for (const name of ["status line.sh", "status.sh", "key.sh", "other.sh"]) writeFileSync(join(folder, name), "");
    const settings = {
      statusLine: { command: "bash ~/.claude/status.sh; true" },
      apiKeyHelper: `${folder}/key.sh`,
      hooks: "$HOME/.claude/missing.sh /bin/sh ~/outside.sh ~/.claude/../outside.sh",
    };
    writeFileSync(home.in("outside.sh"), "");
    writeFileSync(join(folder, "settings.json"), JSON.stringify(settings));
    const made = (id: string) => {
      const place = placeOf(id);
      return place.type === "sandboxed" ? place.places.readOnly.map((path) => path.slice(home.path.length + 1)) : [];
    };
    expect(made("claude-code").slice(5)).toEqual([".claude/plugins", ".claude/status.sh", ".claude/key.sh"]);
    expect(made("pi")).toEqual(
      ["settings.json", "models.json", "extensions", "bin"].map((name) => `.pi/agent/${name}`),
    );
    expect(made("qwen")).toEqual(["settings.json", ".env", "extensions", "commands"].map((name) => `.qwen/${name}`));
  });

  it("gets no file through a link that it left behind", () => {
    using home = new TemporaryFolder();
    vi.stubEnv("HOME", home.path);
    writeFileSync(home.in(".claude.json"), "{}");
    mkdirSync(home.in(".claude"));
    symlinkSync(home.in("made-outside"), home.in(".claude/.claude.json"));
    expect(placeOf("claude-code").type).toBe("sandboxed");
    expect(existsSync(home.in("made-outside"))).toBe(false);
  });

  it("keeps what is there, and looks where the user's variables lead", () => {
    using home = new TemporaryFolder();
    vi.stubEnv("HOME", home.path);
    mkdirSync(home.in("moved"));
    writeFileSync(home.in("moved/config.toml"), "model = 1");
    const env = { CODEX_HOME: home.in("moved"), XDG_DATA_HOME: home.in("data") };
    const codex = placeOf("codex-native", { env });
    expect(codex).toMatchObject({ type: "sandboxed", places: { state: [home.in("moved")] } });
    expect(readFileSync(home.in("moved/config.toml"), "utf8")).toBe("model = 1");
    expect(placeOf("goose", { env })).toMatchObject({
      places: {
        state: [home.in("data/goose"), home.in(".local/state/goose")],
        readOnly: [home.in(".config/goose")],
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

  it("is decided by the row where no one chose", () => {
    using home = new TemporaryFolder();
    vi.stubEnv("HOME", home.path);
    const sandboxed = all
      .filter((each) => placeOf(each.id, { wanted: undefined }).type === "sandboxed")
      .map(({ id }) => id);
    expect(sandboxed).toEqual(all.filter(({ sandbox }) => sandbox?.byDefault === true).map(({ id }) => id));
    expect(placeOf("claude-code", { wanted: false }).type).toBe("unsandboxed");
  });

  it("keeps its folders under the user's own command line, and is then sandboxed only when asked to", () => {
    const registry = new AgentRegistry([
      ...all,
      { id: "goose", label: "My goose", command: "my-goose", args: [], env: { A: "1" } },
    ]);
    const known = agent("goose").sandbox;
    expect(registry.find("goose")).toMatchObject({ command: "my-goose", sandbox: { ...known, byDefault: false } });
  });
});
