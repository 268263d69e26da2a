// The helper's reader of plans stands anything: a second of random plans in `npm test`, a minute in `npm run test:long`.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { isLong, rounds } from "../../../../test/support/rounds.ts";

const program = join(import.meta.dirname, "../../native/fuzz/run.mjs");
const noSanitizer = 3;

it.runIf(process.platform === "linux")(
  "a plan of any words is read without an error of memory",
  { timeout: 120_000 },
  async () => {
    const seconds = rounds({ some: 1, all: 60 });
    const run = await promisify(execFile)(process.execPath, [program, String(seconds)]).catch(
      (error: unknown) => error,
    );
    const hasNone = !isLong && (run as { code?: unknown }).code === noSanitizer; // CI has a compiler that can
    if (!hasNone) expect(run).toMatchObject({ stdout: expect.stringContaining("Fuzzing plans") });
    expect(run instanceof Error && !hasNone ? run.message : "").toBe("");
  },
);
