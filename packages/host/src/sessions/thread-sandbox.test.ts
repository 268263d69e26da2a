// What the row of a thread says about its sandbox.
import { homedir } from "node:os";
import type { Enforcement } from "@signalbox/sandbox";
import { describe, expect, it } from "vitest";
import { listKnownAgents, listOwnAgents } from "../agents/known-agents.ts";
import type { AgentPlacement } from "../agents/sandbox-agent.ts";
import { describeThreadSandbox } from "./thread-sandbox.ts";

const on: Enforcement = { kind: "landlock", helper: "/helper", layer: "namespaces", abi: 7 };
const off: Enforcement = { kind: "off", helper: undefined };
const missing: Enforcement = { kind: "unavailable", reason: "No Landlock.", remedy: "Use a newer kernel." };
const agents = [
  ...listOwnAgents({ command: "signalbox", args: [], version: "1" }, "/data", { provider: undefined, providers: {} }),
  ...listKnownAgents("/data"),
];

function sandboxOf(id: string, facts: Partial<Parameters<typeof describeThreadSandbox>[0]> = {}) {
  const definition = agents.find((agent) => agent.id === id) ?? { label: id };
  return describeThreadSandbox({
    definition,
    placement: { type: "unsandboxed" },
    enforcement: on,
    mode: "sandbox",
    network: false,
    asksCommands: false,
    modeId: null,
    ...facts,
  });
}

describe("the sandbox of a thread", () => {
  it("is Signalbox's where every command of the agent runs in it", () => {
    for (const id of ["demo", "signalbox", "claude"]) {
      expect(sandboxOf(id)).toMatchObject({ by: "signalbox", network: "off" });
      expect(sandboxOf(id, { network: true })).toMatchObject({ by: "signalbox", network: "on" });
    }
  });

  it("says that our agent's commands run without asking only where they do", () => {
    const unasked = /without asking, unless a rule/;
    const partly: Enforcement = { kind: "landlock", helper: "/helper", layer: "landlock", abi: 7 };
    for (const facts of [{}, { modeId: "rx" }]) expect(sandboxOf("signalbox", facts).detail).toMatch(unasked);
    for (const facts of [
      { asksCommands: true },
      { network: true },
      { modeId: "rwx" },
      { modeId: "plan" },
      { enforcement: partly },
      { enforcement: off, mode: "off" as const },
    ])
      expect(sandboxOf("signalbox", facts).detail).not.toMatch(unasked);
    expect(sandboxOf("claude").detail).not.toMatch(unasked);
  });

  it("is none where the agent runs commands itself, and says what is held all the same", () => {
    for (const id of ["claude-code", "gemini", "opencode", "an agent of the config"]) {
      const sandbox = sandboxOf(id);
      expect(sandbox).toMatchObject({ by: "none", network: "on" });
      expect(sandbox.detail).toMatch(/runs with your rights.*Only commands that it runs through Signalbox/);
      expect(sandboxOf(id, { enforcement: off }).detail).not.toContain("through Signalbox");
    }
  });

  it("says of an agent whose shell runs through Signalbox what is held and what is not", () => {
    for (const id of ["goose", "grok"]) {
      const sandbox = sandboxOf(id);
      expect(sandbox).toMatchObject({ by: "signalbox", network: "off" });
      expect(sandbox.detail).toMatch(
        /^Commands of its shell tool run through Signalbox, in Signalbox's sandbox\..*itself runs with your rights, and so does what it starts besides/,
      );
      expect(sandboxOf(id, { enforcement: off })).toMatchObject({ by: "none", network: "on" });
    }
  });

  it("is the agent's own where it makes one; its network is not known to be off", () => {
    expect(sandboxOf("codex")).toMatchObject({ by: "agent", network: "on" });
  });

  it("follows our agent's mode, and the config that turns it off", () => {
    expect(sandboxOf("demo", { modeId: "rx" }).detail).toContain("cannot write in the thread's folder");
    expect(sandboxOf("demo", { modeId: "rwx" }).detail).toContain("anywhere but in protected places");
    expect(sandboxOf("demo", { modeId: "plan" }).detail).toContain("runs no commands");
    expect(sandboxOf("demo", { mode: "off", modeId: "rwx", enforcement: off })).toMatchObject({
      by: "none",
      network: "on",
    });
    expect(sandboxOf("claude", { mode: "off", enforcement: off })).toMatchObject({ by: "none", network: "on" });
  });

  it("describes what a sandboxed agent may do, and why another is not sandboxed", () => {
    const sandboxed: AgentPlacement = {
      type: "sandboxed",
      enforcement: { kind: "landlock", helper: "/helper", layer: "namespaces", abi: 7 },
      definition: { id: "gemini", label: "Gemini CLI", command: "gemini", args: [] },
      places: {
        home: "/data/home",
        layers: [
          {
            path: `${homedir()}/.gemini`,
            standIn: { type: "overlay", lower: "/real", upper: "/upper", work: "/work" },
          },
        ],
        programs: [],
      },
      hosts: [],
    };
    for (const id of ["gemini", "goose", "codex"]) {
      expect(sandboxOf(id, { placement: sandboxed })).toMatchObject({ by: "signalbox", network: "on" });
    }
    expect(sandboxOf("gemini", { placement: sandboxed }).detail).toMatch(
      /^Gemini CLI runs inside Signalbox's sandbox, with everything that it starts\. It writes in the thread's folder.*state in ~\/\.gemini is a layer/,
    );
    expect(sandboxOf("gemini", { placement: sandboxed, mode: "rx" }).detail).toContain("cannot write");
    // A host that both the config and the agent name is said once.
    const named = { placement: { ...sandboxed, hosts: ["127.0.0.1:8080"] }, networkAllow: ["127.0.0.1:8080"] };
    expect(sandboxOf("gemini", named).detail).toContain("it reaches 127.0.0.1:8080, and");
    const outside = sandboxOf("gemini", { placement: { type: "unsandboxed", why: "Because." } });
    expect(outside).toMatchObject({ by: "none", network: "on" });
    expect(outside.detail).toMatch(/your rights.*Gemini CLI itself is not inside the sandbox\. Because\.$/);
  });

  it("says that no command runs where there is no sandbox, and what a weaker one leaves open", () => {
    expect(sandboxOf("demo", { enforcement: missing }).detail).toContain("no command runs: No Landlock.");
    const weaker: Enforcement = { kind: "bubblewrap", program: "/bwrap" };
    expect(sandboxOf("demo", { enforcement: weaker }).detail).toContain("On this machine: bubblewrap, without");
  });
});
