import { describe, expect, it } from "vitest";
import { defineListedAgents } from "./listed-agents.ts";
import { readRegistry } from "./registry-format.ts";
import { snapshot } from "./snapshot.ts";

const linux = { platform: "linux", arch: "x64" } as const;
const entry = (distribution: object, more: object = {}) => ({
  id: "one",
  name: "One",
  version: "1.2.3",
  distribution,
  ...more,
});
const read = (...agents: unknown[]) => readRegistry({ version: "1.0.0", agents });
const planOf = (distribution: object) =>
  defineListedAgents(read(entry(distribution)), "/data", new Set(), linux)[0]?.plan ?? null;
const archive = "https://example.org/one.tar.gz";

describe("an agent of the registry", () => {
  it.each([
    [{ npx: { package: "@a/b@2.0.0" } }, { type: "npm", packages: ["@a/b@2.0.0"], runsScripts: false }],
    [{ npx: { package: "b" } }, { type: "npm", packages: ["b@1.2.3"], runsScripts: false }],
    [
      { npx: { package: "b@latest", cmd: "bb" } },
      { type: "npm", packages: ["b@1.2.3"], runsScripts: false, program: "bb" },
    ],
    [{ uvx: { package: "b@2.0" } }, { type: "uv", package: "b==2.0" }],
    [{ uvx: { package: "b[x]" } }, { type: "uv", package: "b[x]==1.2.3" }],
    [
      { binary: { "linux-x86_64": { archive, cmd: "./b", sha256: "a".repeat(64) } } },
      { type: "archive", url: archive, program: "./b", sha256: "a".repeat(64) },
    ],
    [{ binary: { "darwin-aarch64": { archive, cmd: "./b" } } }, null],
    [{ npx: { package: "--prefix=/etc" } }, null],
    [{ npx: { package: "--global" } }, null],
    [{ npx: { package: "git+ssh://example.org/x" } }, null],
    [{ npx: { package: "../../x" } }, null],
    [{ npx: { package: "https://example.org/x.tgz" } }, null],
    [{ uvx: { package: "-r requirements.txt" } }, null],
    [{ binary: { "linux-x86_64": { archive: "http://example.org/x", cmd: "b" } } }, null],
    [{ binary: { "linux-x86_64": { archive: "file:///etc/passwd", cmd: "b" } } }, null],
  ])("is installed in an exact version, or not at all: %j", (distribution, plan) => {
    expect(planOf(distribution)).toEqual(plan);
  });

  it("is left out where we have a row of our own, or its id is no name of a folder", () => {
    const npx = { npx: { package: "b" } };
    const agents = read(
      entry(npx, { id: "claude-acp" }),
      entry(npx, { id: "gemini" }),
      entry(npx, { id: "../x" }),
      entry(npx),
    );
    const known = new Set(["claude-code", "gemini"]);
    expect(defineListedAgents(agents, "/data", known, linux)).toMatchObject([
      { id: "one", label: "One", installFolder: "/data/agents/one", command: "one" },
    ]);
  });

  it("that is wrong leaves the others; what is no registry is refused", () => {
    expect(read({ id: 7 }, entry({ npx: { package: "b" } }))).toHaveLength(1);
    expect(() => readRegistry({ agents: "none" })).toThrow("It is not a registry of agents");
  });
});

it("the list that comes with Signalbox can be read whole", () => {
  expect(readRegistry(snapshot.registry)).toEqual(snapshot.agents);
  expect(defineListedAgents(snapshot.agents, "/data", new Set(), linux)).toHaveLength(snapshot.agents.length);
});
