// `npm run bench [WORD…]`: runs every packages/*/bench/*.bench.ts (or those whose path holds a WORD), one process each, one
// after the other so that they do not disturb each other, and prints one table. `--write` also puts it into docs/benchmarks.md.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { createInterface } from "node:readline";
import { root } from "./setup/paths.mjs";
import { orExplain, setUp } from "./setup/set-up.mjs";

const words = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const { node } = await orExplain(() => setUp({ build: true }));
const files = readdirSync(`${root}/packages`)
  .map((name) => `packages/${name}/bench`)
  .filter((folder) => existsSync(`${root}/${folder}`))
  .flatMap((folder) => readdirSync(`${root}/${folder}`).map((name) => `${folder}/${name}`))
  .filter((file) => file.endsWith(".bench.ts") && (words.length === 0 || words.some((word) => file.includes(word))));
if (files.length === 0) {
  console.error(`No benchmark's path holds ${words.join(" or ")}.`);
  process.exit(64);
}

const rows = [];
let broken = 0;
for (const file of files) {
  console.error(`# ${file}`);
  const child = spawn(node, ["--expose-gc", "--no-warnings", "test/bench/run-one.ts", file], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const row = render(JSON.parse(line));
    rows.push(row);
    console.log(`${row.verdict.padEnd(6)} ${row.title}: ${row.value}${row.target} ${row.note}`);
  }
  const code = await new Promise((resolve) =>
    child.exitCode === null ? child.on("exit", resolve) : resolve(child.exitCode),
  );
  if (code !== 0) {
    broken++;
    console.error(`${file} ended with code ${code}`);
  }
}

const missed = rows.filter((row) => row.verdict === "MISS").length;
if (process.argv.includes("--write")) {
  const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GB, Node 24`;
  const table = rows.map(
    (row) => `| ${row.title} | ${row.value} | ${row.target.trim()} | ${row.verdict} | ${row.note} |`,
  );
  const text = [
    "# Benchmarks",
    "",
    `Written by \`npm run bench -- --write\`. ${machine}. Ratios compare two figures of the same run; absolute times are this machine's.`,
    "",
    "| what | figure | target | | beside it |",
    "| --- | --- | --- | --- | --- |",
    ...table,
    "",
  ];
  const file = `${root}/docs/benchmarks.md`;
  // Sections below the table are written by hand, and stay.
  const sections = /\n## .*$/s.exec(readFileSync(file, "utf8"))?.[0] ?? "";
  writeFileSync(file, text.join("\n") + sections);
}
console.log(`${rows.length} figures, ${missed} missed, ${broken} benchmarks broken`);
process.exitCode = broken > 0 ? 1 : 0;

function render(figure) {
  const met =
    figure.target === undefined || (figure.atLeast ? figure.value >= figure.target : figure.value <= figure.target);
  const digits = figure.value >= 1000 ? 0 : figure.value >= 100 ? 1 : 2;
  const number = (value) => value.toLocaleString("en-US", { maximumFractionDigits: digits });
  const bound = figure.atLeast ? "at least" : "at most";
  return {
    title: figure.title,
    value: `${number(figure.value)} ${figure.unit}`,
    target: figure.target === undefined ? "" : ` (${bound} ${number(figure.target)})`,
    verdict: figure.target === undefined ? "" : met ? "ok" : "MISS",
    note: figure.note ?? "",
  };
}
