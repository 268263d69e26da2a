import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clientCapabilities } from "./client-capabilities.ts";
import { makeProbeFolder, type ProbeOptions } from "./probe-place.ts";
import { ReadinessTracker } from "./readiness-tracker.ts";
import { type AgentDefinition, AgentRegistry } from "./registry.ts";

const noKeys = { list: () => [], load: async () => {} };
const probes: ProbeOptions = {
  openPlace: async (definition) => {
    const place = await makeProbeFolder(folder);
    return {
      folder: place,
      definition,
      sandbox: undefined,
      [Symbol.asyncDispose]: async () => rmSync(place, { recursive: true }),
    };
  },
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-readiness-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A script that answers `initialize` and `session/new` with these, and does what else it is told. */
function agentThat(answers: { initialize?: object; session?: object; first?: string }): AgentDefinition {
  const code = `
    ${answers.first ?? ""};
    const answers = ${JSON.stringify({ initialize: answers.initialize ?? { result: { protocolVersion: 1, agentInfo: { version: "3.2.1" } } }, "session/new": answers.session ?? { result: { sessionId: "s" } } })};
    require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      if (answers[method]) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answers[method] }));
    });`;
  return { id: "fake", label: "Fake", command: process.execPath, args: ["-e", code], login: "Run `fake login`." };
}

const testOf = (agent: AgentDefinition, milliseconds = 20_000) =>
  new ReadinessTracker(new AgentRegistry([agent]), noKeys, probes).test(agent, { answerTimeoutMs: milliseconds });

describe("testing an agent", () => {
  it("reports each step", async () => {
    const seen: string[] = [];
    const agent = agentThat({});
    const tracker = new ReadinessTracker(new AgentRegistry([agent]), noKeys, probes);
    const test = await tracker.test(agent, { onStep: ({ step, ok }) => seen.push(`${step} ${ok}`) });
    expect(test).toMatchObject({ agent_id: "fake", readiness: "ready", reason: null, version: "3.2.1" });
    expect(seen).toEqual(["find true", "start true", "initialize true", "session true", "stop true"]);
    expect(test.steps.map(({ step, ok }) => `${step} ${ok}`)).toEqual(seen);
  });

  it("offers the agent what a thread offers it", async () => {
    const file = join(folder, "heard.json");
    const first = `process.stdin.once("data", (line) => require("fs").writeFileSync(${JSON.stringify(file)}, String(line)))`;
    await testOf(agentThat({ first }));
    const { params } = JSON.parse(readFileSync(file, "utf8").split("\n")[0] ?? "") as {
      params: { clientCapabilities: unknown };
    };
    expect(params.clientCapabilities).toEqual(clientCapabilities);
    expect(clientCapabilities).toMatchObject({ fs: { readTextFile: true, writeTextFile: true }, terminal: true });
  });

  it("distinguishes a log-in, an exit, a timeout and another protocol version", async () => {
    const authMethods = [{ id: "key", name: "Key" }];
    const login = await testOf(
      agentThat({
        initialize: { result: { protocolVersion: 1, authMethods } },
        session: { error: { code: -32000, message: "Authentication required" } },
      }),
    );
    expect(login).toMatchObject({ readiness: "needs_login", auth_methods: authMethods });
    expect(login.reason).toBe("Fake wants you to log in first: Authentication required. Run `fake login`.");

    const dead = await testOf(agentThat({ first: `console.error("no config file"); process.exit(9)` }));
    expect(dead).toMatchObject({ readiness: "broken", output: "no config file" });
    expect(dead.reason).toBe("Fake exited with code 9 before it answered initialize.\nno config file");

    const keyless = await testOf(agentThat({ first: `console.error("No providers configured."); process.exit(1)` }));
    expect(keyless).toMatchObject({ readiness: "needs_login" });
    expect(keyless.reason).toMatch(/No providers configured\. Run `fake login`\.$/);

    const details = { error: { code: -32603, message: "Internal error", data: { details: "cannot run as root" } } };
    const rooted = await testOf(agentThat({ session: details }));
    expect(rooted).toMatchObject({
      readiness: "broken",
      reason: "Fake answered session/new with error -32603: Internal error: cannot run as root",
    });

    const silent = { ...agentThat({}), args: ["-e", `console.log("hello?"); process.stdin.resume()`] };
    // On a busy machine it may need longer than a second until it prints anything.
    for (let seconds = 1, output = ""; output === ""; seconds *= 2) {
      const test = await testOf(silent, seconds * 1000);
      output = test.output;
      expect(test).toMatchObject({
        readiness: "broken",
        reason: `Fake did not answer initialize within ${seconds} s.`,
      });
      expect(["", "On stdout, instead of messages:\nhello?"]).toContain(output);
    }

    const future = await testOf(agentThat({ initialize: { result: { protocolVersion: 7 } } }));
    expect(future.reason).toMatch(/speaks version 7 of the Agent Client Protocol/);
  });

  it("removes the temporary folder of its session", async () => {
    const note = join(folder, "cwd");
    await testOf(agentThat({ first: `require("fs").writeFileSync(${JSON.stringify(note)}, process.cwd())` }));
    expect(existsSync(readFileSync(note, "utf8"))).toBe(false);
  });
});

describe("the list of agents", () => {
  const row = async (agent: AgentDefinition, versions = false) => {
    const [first] = await new ReadinessTracker(new AgentRegistry([agent]), noKeys, probes).listRows({ versions });
    return first;
  };

  function program(text: string): AgentDefinition {
    const file = join(folder, "known");
    writeFileSync(file, `#!/bin/sh\necho asked >> ${folder}/asked\n${text}\n`);
    chmodSync(file, 0o755);
    return { id: "known", label: "Known", command: file, args: [], program: { npmPackage: "known", version: "1.0.0" } };
  }

  it("says how to install a missing agent", async () => {
    const install = "npm install -g missing@1.0.0";
    const agent = { id: "missing", label: "Missing", command: "no-such-agent-anywhere", args: [], install };
    expect(await row(agent)).toMatchObject({
      id: "missing",
      label: "Missing",
      readiness: "not_installed",
      reason: "Missing is not installed. Install it with: npm install -g missing@1.0.0",
      version: null,
      install,
      login: null,
      program: null,
    });
  });

  it("starts a program only for its version, and only once", async () => {
    const agent = program("echo known version 4.5.6-beta.1");
    const tracker = new ReadinessTracker(new AgentRegistry([agent]), noKeys, probes);
    expect(await tracker.listRows()).toMatchObject([{ readiness: "ready", version: null }]);
    expect(existsSync(join(folder, "asked"))).toBe(false);
    expect(await tracker.listRows({ versions: true })).toMatchObject([{ readiness: "ready", version: "4.5.6-beta.1" }]);
    expect(await tracker.listRows({ versions: true })).toMatchObject([{ version: "4.5.6-beta.1" }]);
    expect(await tracker.listRows()).toMatchObject([{ version: "4.5.6-beta.1" }]);
    expect(readFileSync(join(folder, "asked"), "utf8")).toBe("asked\n");
  });

  it("reports the output of a program that prints no version", async () => {
    const broken = await row(program("echo missing library >&2; exit 127"), true);
    expect(broken).toMatchObject({ readiness: "broken", version: null });
    expect(broken?.reason).toMatch(/--version` exited with code 127 and printed no version. missing library$/);
  });

  it("keeps the problem of a test or a session until the agent works", async () => {
    const agent = agentThat({ session: { error: { code: -32000, message: "No." } } });
    const tracker = new ReadinessTracker(new AgentRegistry([agent]), noKeys, probes);
    expect(await tracker.listRows()).toMatchObject([{ readiness: "ready" }]);
    await tracker.test(agent);
    expect(await tracker.listRows()).toMatchObject([{ readiness: "needs_login" }]);
    tracker.recordSuccess("fake");
    expect(await tracker.listRows()).toMatchObject([{ readiness: "ready", reason: null }]);
    tracker.recordProblem("fake", "broken", "It died.");
    expect(await tracker.listRows()).toMatchObject([{ readiness: "broken", reason: "It died." }]);
  });
});
