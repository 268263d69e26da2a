// A register in a folder of its own, for tests: closed and removed when the test that asked for it ends.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Change } from "@signalbox/protocol";
import { onTestFinished } from "vitest";
import { openRegister, type RegisterOptions } from "../open-register.ts";
import type { Register } from "../register.ts";

/** For suites on real files and processes: a busy machine is no reason to fail. */
export const slow = { timeout: 120_000 };

interface TemporaryRegister {
  readonly register: Register;
  readonly path: string;
  /** Everything that was published since it was opened. */
  readonly published: Change[];
  /** Closes it and opens it again, as a restart would. */
  reopen(): Promise<Register>;
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tinyvex-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

let emptyRegister: Uint8Array | undefined;

/** Puts an empty register there: to make its tables costs more than most tests. */
async function writeEmptyRegister(path: string): Promise<void> {
  if (emptyRegister === undefined) {
    await (await openRegister({ path })).close();
    emptyRegister = readFileSync(path);
  } else writeFileSync(path, emptyRegister, { mode: 0o600 });
}

export async function temporaryRegister(options: Partial<RegisterOptions> = {}): Promise<TemporaryRegister> {
  const path = join(temporaryFolder(), "register.db");
  await writeEmptyRegister(path);
  const open = async () => {
    const register = await openRegister({ path, ...options });
    register.onChanges((changes) => temporary.published.push(...changes));
    return register;
  };
  const temporary = {
    path,
    published: [] as Change[],
    register: null as unknown as Register,
    async reopen() {
      await temporary.register.close();
      temporary.register = await open();
      return temporary.register;
    },
  };
  temporary.register = await open();
  onTestFinished(() => temporary.register.close());
  return temporary;
}

/** Waits for something that happens by itself, as soon as it does. */
export async function eventually<Result>(read: () => Promise<Result | null> | Result | null): Promise<Result> {
  for (const deadline = Date.now() + 60_000; ; ) {
    const result = await read();
    if (result !== null) return result;
    if (Date.now() > deadline) throw new Error("it did not happen within a minute");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
