// `signalbox doctor` checks this machine and tests agents: it starts each, opens a session and stops it again.
import {
  type AgentTestRow,
  checkSharedDatabase,
  type Diagnostics,
  openDiagnostics,
  type SetupRow,
} from "@signalbox/host";
import { formatAgentTest, formatMachineChecks, listMachineChecks } from "@signalbox/reports";
import { command, exitCodes, jsonFlag, registerFlags } from "../command.ts";
import { describeProgram } from "../describe-program.ts";
import { connectToHost } from "../host/find-host.ts";
import { knownAgent } from "../known-agent.ts";
import { Output } from "../output.ts";
import { Progress } from "../progress.ts";

export const doctor = command({
  usage: "signalbox doctor [AGENT] [flags]",
  about:
    "Checks this machine and tests every installed agent, or only AGENT. Shows what does not work and how to fix it. No prompt is sent. Exit code 0 when everything works, else 1.",
  words: { name: "AGENT", min: 0, max: 1 },
  flags: { ...jsonFlag("one check or one agent's test per line"), ...registerFlags },
  examples: [
    ["signalbox doctor", "this machine and every installed agent"],
    ["signalbox doctor gemini", "test one agent"],
  ],
  async run(flags, program, { given: [wanted] }) {
    const output = new Output();
    const diagnostics = openDiagnostics(flags["data-dir"], describeProgram(program));
    const print = (row: object, text: () => string) => output.write(flags.json ? `${JSON.stringify(row)}\n` : text());
    let allOk = true;
    if (wanted === undefined) {
      const host = await runningHost(flags["data-dir"]);
      const machine = { ...(await diagnostics.describeMachine()), listening: host?.listening ?? null };
      const sharedChecks = await checkSharedDatabase(flags["data-dir"], program.shared);
      const checks = [...listMachineChecks(machine, host?.origin ?? null), ...sharedChecks];
      allOk = checks.every(({ ok }) => ok);
      for (const check of checks) print(check, () => formatMachineChecks([check], output.layout));
    }
    for (const id of await idsToTest(diagnostics, wanted)) {
      const test = await testAgent(diagnostics, id);
      allOk &&= test.readiness === "ready";
      print(test, () => `${wanted === undefined ? "\n" : ""}${formatAgentTest(test, output.layout)}`);
    }
    return allOk ? exitCodes.ok : exitCodes.failed;
  },
});

async function idsToTest(diagnostics: Diagnostics, wanted: string | undefined): Promise<readonly string[]> {
  if (wanted !== undefined) return [knownAgent(diagnostics, wanted).id];
  const rows = await diagnostics.readiness.listRows();
  return rows.filter((row) => row.readiness !== "not_installed").map(({ id }) => id);
}

async function testAgent(diagnostics: Diagnostics, id: string): Promise<AgentTestRow> {
  const agent = knownAgent(diagnostics, id);
  using progress = new Progress(`Testing ${agent.label} …`);
  return await diagnostics.readiness.test(agent, {
    onStep: ({ message }) => progress.show(`Testing ${agent.label}: ${message}`),
  });
}

async function runningHost(
  dataFolder: string | undefined,
): Promise<{ readonly origin: string; readonly listening: SetupRow["listening"] } | null> {
  const host = await connectToHost(dataFolder);
  if (host === null) return null;
  const { rows } = await host.query("setup.get", {});
  const [setup] = rows;
  await host.close();
  return { origin: host.origin, listening: setup?.listening ?? null };
}
