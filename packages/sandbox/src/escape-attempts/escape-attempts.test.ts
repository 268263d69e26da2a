// Runs every escape attempt for real, as each kind of user and with each layer that this machine has. As a normal user, with the oldest Landlock
// and without a sandbox, `npm test` runs some of them and `npm run test:long` all.
import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { isLong } from "../../../../test/support/rounds.ts";
import { buildHelper } from "../../native/build.mjs";
import type { Enforcement } from "../enforcement/enforcement.ts";
import { landlockAbi, selfTest } from "../enforcement/self-test.ts";
import { type Attempt, allAttempts } from "./attempts.ts";
import { compileAttempts, type Outcome, tryAll } from "./try-attempts.ts";

let helper = "";
let program = "";
let abi = 0;

beforeAll(async () => {
  const built = await buildHelper();
  if ("missing" in built) throw new Error(built.missing);
  helper = built.path;
  program = await compileAttempts();
  abi = await landlockAbi(helper);
  // Not in `afterAll`, which also runs when this fails: the folder of no program would be the current one.
  return () => rm(dirname(program), { recursive: true, force: true });
}, 60_000);

const landlock = (layer: "namespaces" | "landlock", version = abi): Enforcement => ({
  kind: "landlock",
  helper,
  layer,
  abi: version,
});

const escaped = (outcomes: readonly Outcome[]) =>
  outcomes
    .filter((outcome) => outcome.escape !== undefined)
    .map((outcome) => outcome.name)
    .toSorted();

const namesOf = (attempts: readonly Attempt[]) => attempts.map((attempt) => attempt.name).toSorted();

/** What got out though it is none of the known gaps, and how. */
const unexpected = (outcomes: readonly Outcome[], gaps: readonly string[]) =>
  outcomes
    .filter(({ name, escape }) => escape !== undefined && !gaps.includes(name))
    .map(({ name, escape, output }) => `${name}: ${escape} (${output})`);

const missing = (names: readonly string[], from: readonly string[]) => names.filter((name) => !from.includes(name));

/** Where all of them are tried as another user or on a layer like it: what Landlock's version decides, and some of what no layer lets out. */
const someAttempts = allAttempts.filter(
  (attempt, index) => isLong || attempt.onlyScopesStopIt || (!attempt.onlyNamespacesStopIt && index % 6 === 0),
);

/** As a normal user: number 65534, where the test itself is root. */
async function tryAsNormalUser(enforcement: Enforcement, attempts: readonly Attempt[]): Promise<Outcome[]> {
  if (process.getuid?.() !== 0) return tryAll(enforcement, attempts, program);
  const home = await mkdtemp(join(tmpdir(), "signalbox-normal-user-"));
  await chmod(home, 0o777);
  const script = join(import.meta.dirname, "try-attempts-process.ts");
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--no-warnings", script, JSON.stringify(enforcement), program, ...namesOf(attempts)],
      { uid: 65534, gid: 65534, env: { PATH: process.env.PATH, HOME: home }, maxBuffer: 64 * 1024 * 1024 },
    );
    return JSON.parse(stdout) as Outcome[];
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

describe("escape attempts", { timeout: 240_000 }, () => {
  it("are at least sixty", () => {
    expect(allAttempts.length).toBeGreaterThanOrEqual(60);
    expect(new Set(namesOf(allAttempts)).size).toBe(allAttempts.length);
  });

  it("get out when nothing holds them, so each is a real one", async () => {
    const harmless = allAttempts.filter(
      (attempt, index) => attempt.dangerous === undefined && (isLong || index % 3 === 0),
    );
    const outcomes = await tryAll({ kind: "off", helper }, harmless, program);
    const expected = namesOf(harmless.filter((attempt) => attempt.mayFailAnyway === undefined));
    expect(missing(expected, escaped(outcomes))).toEqual([]);
  });

  it("with namespaces none gets out", async () => {
    if ((await selfTest(landlock("namespaces"))) !== undefined) return; // this machine has none; the layer is never chosen
    const outcomes = await tryAll(landlock("namespaces"), allAttempts, program);
    expect(outcomes.length).toBe(allAttempts.length);
    expect(unexpected(outcomes, [])).toEqual([]);
  });

  it("with namespaces none gets out as a normal user", async () => {
    if ((await selfTest(landlock("namespaces"))) !== undefined) return;
    expect(unexpected(await tryAsNormalUser(landlock("namespaces"), someAttempts), [])).toEqual([]);
  });

  it("without namespaces only the documented gaps get out", async () => {
    const gaps = allAttempts.filter((attempt) => attempt.onlyNamespacesStopIt);
    const certain = namesOf(gaps.filter((attempt) => attempt.mayFailAnyway === undefined));
    const outcomes = await tryAll(landlock("landlock"), allAttempts, program);
    expect(unexpected(outcomes, namesOf(gaps))).toEqual([]);
    expect(missing(certain, escaped(outcomes))).toEqual([]); // when a gap closes, the documentation must follow
  });

  it("without namespaces only the documented gaps get out as a normal user", async () => {
    const outcomes = await tryAsNormalUser(landlock("landlock"), someAttempts);
    const gaps = namesOf(allAttempts.filter((attempt) => attempt.onlyNamespacesStopIt));
    expect(outcomes.length).toBe(someAttempts.length);
    expect(unexpected(outcomes, gaps)).toEqual([]);
  });

  it("on the oldest Landlock signals to others are one more gap, and the only one", async () => {
    const gaps = namesOf(allAttempts.filter((attempt) => attempt.onlyNamespacesStopIt ?? attempt.onlyScopesStopIt));
    const outcomes = await tryAll(landlock("landlock", 1), someAttempts, program);
    expect(unexpected(outcomes, gaps)).toEqual([]);
    expect(escaped(outcomes)).toContain("signal the bystander");
  });
});
