// Runs the rounds of a seed and prints a table: a row for each kind of fault, a column for each thing that must not happen. Ends with 1 if any did.
import { truncateSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { columns, Findings, judgeRegister, judgeRemains, type Remains } from "./checker.ts";
import { type Fault, faults } from "./faults.ts";
import { Load } from "./load.ts";
import { planRounds, type Round } from "./plan.ts";
import { Stage, waitUntil } from "./stage.ts";

interface TableRow {
  readonly name: string;
  rounds: number;
  injected: number;
  readonly findings: Findings;
}

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e6)) },
    minutes: { type: "string", default: "3" },
    only: { type: "string", default: "" },
    round: { type: "string" },
  },
});
const seed = Number(values.seed);
const minutes = Number(values.minutes);
const stillMs = Math.min(120_000, Math.max(2000, minutes * 1000));
const only = values.only === "" ? "" : ` --only "${values.only}"`;
const command = `npm run faults -- --seed ${seed} --minutes ${minutes}${only}`;

const table = new Map<string, TableRow>();
function rowFor(name: string): TableRow {
  const row = table.get(name) ?? { name, rounds: 0, injected: 0, findings: new Findings() };
  table.set(name, row);
  return row;
}

function listThreads(stage: Stage): readonly string[] {
  const database = new DatabaseSync(stage.register, { readOnly: true });
  const ids = database.prepare("SELECT id FROM threads").all();
  database.close();
  return ids.map(({ id }) => String(id));
}

const restLimitMs = 20_000;

async function runRound(stage: Stage, { number, kind, beforeMs, afterMs, random }: Round<Fault>): Promise<void> {
  const earlier = new Set(listThreads(stage));
  const listNew = () => listThreads(stage).filter((id) => !earlier.has(id));
  truncateSync(stage.journal);
  const load = new Load(stage, `r${number}`, random);
  for (let thread = 0; thread < 4; thread++) load.begin(stage.folder(`work-${thread}`), thread === 3);
  await load.whenBusy();
  await pause(beforeMs);
  const row = rowFor(kind.name);
  row.rounds++;
  row.injected += await kind.inject({ stage, load, random: random("fault"), stillMs });
  await stage.reviveHost();
  await pause(afterMs);
  await load.end(listNew);
  await stage.reviveHost();
  const left = await waitForRest(stage);
  const usage = await stage.measureUsage();
  const threads = listNew();
  const logs = load.clients.map(({ log }) => log);
  const findings = judgeRegister({ register: stage.register, threads, logs, ran: stage.ran });
  findings.addAll(judgeRemains({ hostEnds: stage.takeHostEnds(), ...left, ...usage }));
  row.findings.addAll(findings);
  const { first, now } = usage;
  const memory = `${now.retainedMegabytes} MB retained (first ${first.retainedMegabytes}), ${now.residentMegabytes} resident`;
  const rest = `${memory}, ${now.descriptors} descriptors (first ${first.descriptors})`;
  console.log(
    `round ${number}: ${kind.name}, ${threads.length} threads, ${stage.ran.length} turns, host at rest: ${rest}`,
  );
  if (findings.total > 0) report(findings, number, logs);
}

/** Each thing counts in the round that left it. */
const counted = new Set<string>();

/** What is left when nothing should be, or when the time is over. */
async function waitForRest(stage: Stage): Promise<Pick<Remains, "processes" | "files">> {
  const isNew = (name: string) => !counted.has(name);
  const look = () => ({
    processes: stage.listProcessesLeft().filter(isNew),
    files: stage.listFilesLeft().filter(isNew),
  });
  let left = look();
  await waitUntil(() => {
    left = look();
    return left.processes.length === 0 && left.files.length === 0;
  }, restLimitMs);
  for (const name of [...left.processes, ...left.files]) counted.add(name);
  return left;
}

function report(findings: Findings, number: number, logs: readonly (readonly object[])[]): void {
  const file = `faults-${seed}-${number}.jsonl`;
  for (const column of columns)
    for (const sentence of findings.get(column).slice(0, 8)) console.log(`  ${column}: ${sentence}`);
  writeFileSync(
    file,
    logs
      .flatMap((log, client) => log.map((entry) => `${JSON.stringify({ client, ...entry }).slice(0, 2000)}\n`))
      .join(""),
  );
  console.log(`  This round alone: ${command} --round ${number}. What the clients saw: ${file}`);
}

/** After the host was stopped as a person does it: everything that any round stored is still whole, and nothing runs. */
async function judgeEnd(stage: Stage): Promise<void> {
  const usage = await stage.measureUsage();
  const threads = listThreads(stage);
  await stage.stop();
  const left = await waitForRest(stage);
  const row = rowFor("after all rounds");
  row.rounds++;
  row.findings.addAll(judgeRegister({ register: stage.register, threads, logs: [], ran: [] }));
  row.findings.addAll(judgeRemains({ hostEnds: [], ...left, ...usage }));
  for (const column of columns)
    for (const sentence of row.findings.get(column).slice(0, 8)) console.log(`  ${column}: ${sentence}`);
}

function printTable(): void {
  const head = ["fault", "rounds", "times", ...columns];
  const body = [...table.values()].map(({ name, rounds, injected, findings }) =>
    [name, rounds, injected, ...columns.map((column) => findings.get(column).length)].map(String),
  );
  const widths = head.map((title, index) => Math.max(title.length, ...body.map((cells) => cells[index]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0))).join(" | ")} |`;
  console.log([line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n"));
}

console.log(`${command}\n`);
await using stage = await Stage.open();
for (const sentence of stage.missing) console.log(`NOT AS IT SHOULD BE: ${sentence}`);
const end = performance.now() + minutes * 60_000;
const kinds = faults.filter(({ name }) => name.includes(values.only));
for (const round of planRounds(seed, kinds)) {
  if (performance.now() > end || (values.round !== undefined && round.number > Number(values.round))) break;
  if (values.round === undefined || round.number === Number(values.round)) await runRound(stage, round);
}
await judgeEnd(stage);
console.log();
printTable();
const total = [...table.values()].reduce((sum, { findings }) => sum + findings.total, 0);
console.log(`\n${total === 0 ? "Nothing was found." : `${total} findings.`} To run it again: ${command}`);
process.exitCode = total === 0 ? 0 : 1;
