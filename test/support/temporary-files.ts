// Gives a bare vitest run a folder for its temporary files, as `npm test` does: workers end by a signal, so that what they would delete at their
// end stays behind. vitest runs this in its own process, before the tests.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default function setUp(): (() => void) | undefined {
  if (process.env.TMPDIR !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "signalbox-test-"));
  chmodSync(folder, 0o711); // some tests run programs as another user
  process.env.TMPDIR = folder;
  return () => {
    delete process.env.TMPDIR;
    rmSync(folder, { recursive: true, force: true });
  };
}
