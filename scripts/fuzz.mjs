// `npm run fuzz [-- NAME… --seconds N --seed S]`: fuzzes the borders where bytes of strangers come in (test/fuzz), or only those that are named. `plan` is the
// sandbox helper's reader of plans, in C.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "./setup/paths.mjs";
import { orExplain, setUp } from "./setup/set-up.mjs";

const { node } = await orExplain(() => setUp({ build: false }));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: "string", default: "30" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const { seconds, seed } = values;
const run = (...args) => spawnSync(node, ["--no-warnings", ...args], { cwd: root, stdio: "inherit" }).status === 0;
const others = positionals.filter((name) => name !== "plan");
let isGood = true;
if (positionals.length === 0 || others.length > 0)
  isGood = run(join(root, "test/fuzz/run.ts"), ...others, "--seconds", seconds, "--seed", seed);
if (positionals.length === 0 || positionals.includes("plan"))
  isGood = run(join(root, "packages/sandbox/native/fuzz/run.mjs"), seconds, seed) && isGood;
process.exitCode = isGood ? 0 : 1;
