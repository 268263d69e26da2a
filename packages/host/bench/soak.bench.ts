// A host that is used for long: its memory after many sessions, and whether a turn costs more the more turns there were.
import { median, type Report, timed } from "../../../test/bench/bench.ts";
import { measureMemory, Rig } from "./rig.ts";

const sessions = 500;
const sessionsPerLook = 100;
const promptsPerSession = 20;
const order = { chunks: 20 };

export default async function soakBench(report: Report): Promise<void> {
  await memoryAfterSessions(report);
  await sixthTurn(report);
}

async function memoryAfterSessions(report: Report): Promise<void> {
  await using rig = await Rig.start();
  await rig.runSession(promptsPerSession, order);
  const measured = [measureMemory(rig.ready.pid, "VmRSS")];
  for (let session = 1; session <= sessions; session++) {
    await rig.runSession(promptsPerSession, order);
    if (session % sessionsPerLook === 0) measured.push(measureMemory(rig.ready.pid, "VmRSS"));
  }
  report({
    title: `host: memory after ${sessions} sessions of ${promptsPerSession} prompts, more than after one session`,
    value: (measured.at(-1) ?? 0) - (measured[0] ?? 0),
    unit: "MB",
    target: 30,
    note: `after 1 session and each ${sessionsPerLook}: ${measured.map((each) => each.toFixed(0)).join(", ")} MB`,
  });
}

/**
 * Of a new host: in its sixth turn, after about 12,000 updates, V8 compiles sixty functions anew, which takes the other core from the agent once.
 * Several rounds, because one turn is decided by what else the machine did in that moment.
 */
async function sixthTurn(report: Report): Promise<void> {
  const ratios: number[] = [];
  for (let round = 0; round < 5; round++) {
    await using rig = await Rig.start();
    const times: number[] = [];
    for (let turn = 0; turn < 12; turn++) times.push(await timed(() => rig.run({ updates: 2000 })));
    ratios.push((times[5] ?? 0) / median(times));
  }
  report({
    title: "host: the sixth turn of 2,000 tool updates against the median of twelve",
    value: median(ratios),
    unit: "x",
    target: 1.1,
    note: ratios.map((each) => each.toFixed(2)).join(", "),
  });
}
