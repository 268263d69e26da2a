// Fuzzes the helper's reader of plans with sanitizers: with libFuzzer where clang has it, else with a driver of our own.
// Usage: node packages/sandbox/native/fuzz/run.mjs [SECONDS] [SEED]. Exit code 3: no compiler here has sanitizers.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const here = import.meta.dirname;
const [seconds = "60", seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
const corpus = readdirSync(join(here, "corpus")).map((name) => join(here, "corpus", name));
const folder = mkdtempSync(join(tmpdir(), "signalbox-fuzz-"));
const program = join(folder, "fuzz-plan");
const common = ["-g", "-O1", "-std=gnu11", "-fno-sanitize-recover=all", "-o", program, join(here, "fuzz-plan.c")];
// SIGNALBOX_FUZZ_COMPILER chooses one of them.
const ways = [
  { compiler: "clang", flags: ["-fsanitize=fuzzer,address,undefined"], isLibFuzzer: true },
  ...["cc", "gcc"].map((compiler) => ({
    compiler,
    flags: ["-fsanitize=address,undefined", join(here, "stand-alone.c")],
    isLibFuzzer: false,
  })),
].filter(({ compiler }) => (process.env.SIGNALBOX_FUZZ_COMPILER ?? compiler) === compiler);

function fuzz() {
  const way = ways.find(({ compiler, flags }) => spawnSync(compiler, [...common, ...flags]).status === 0);
  if (way === undefined) {
    console.error("No C compiler here can use the address sanitizer, so plans were not fuzzed.");
    return 3;
  }
  const found = join(folder, "found");
  mkdirSync(found);
  const args = way.isLibFuzzer
    ? [`-max_total_time=${seconds}`, `-seed=${seed}`, "-max_len=4096", "-verbosity=0", `-artifact_prefix=${found}/`, found, join(here, "corpus")]
    : [seed, seconds, ...corpus];
  console.log(`Fuzzing plans for ${seconds} s with ${way.compiler}, seed ${seed}`);
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: "utf8",
    maxBuffer: 1024 ** 3,
    env: { ...process.env, ASAN_OPTIONS: "handle_sigill=1:handle_abort=1" },
  });
  if (status === 0) {
    console.log(stdout.trim());
    return 0;
  }
  console.error(stdout + stderr);
  for (const name of readdirSync(found).filter((each) => each.startsWith("crash-")))
    console.error(`The input was:\n${readFileSync(join(found, name), "latin1")}`);
  return 1;
}

try {
  process.exitCode = fuzz();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
