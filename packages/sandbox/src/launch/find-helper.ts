// Finds the compiled helper: where the environment variable says, or in the checkout that contains this code.
import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { promisify } from "node:util";

const placeInCheckout = "packages/sandbox/dist/signalbox-sandbox";

export function findHelper(
  start: string = import.meta.dirname,
  override = process.env.SIGNALBOX_SANDBOX_HELPER,
): string | undefined {
  // A relative override would depend on the current folder, which may be a hostile one.
  if (override !== undefined && override !== "")
    return isAbsolute(override) && isExecutable(override) ? override : undefined;
  for (let folder = start; ; folder = dirname(folder)) {
    const candidate = join(folder, placeInCheckout);
    if (isExecutable(candidate)) return candidate;
    if (folder === dirname(folder)) return undefined;
  }
}

/** The newest Landlock interface of the kernel, as the helper reports it; undefined when it is another program, or does not run. */
export async function probeHelper(helper: string): Promise<number | undefined> {
  try {
    const { stdout } = await promisify(execFile)(helper, ["probe"], { env: {}, timeout: probeTimeoutMs });
    const [, abi] = /^landlock (\d+)$/m.exec(stdout) ?? [];
    return abi === undefined ? undefined : Number(abi);
  } catch {
    return undefined;
  }
}

const probeTimeoutMs = 10_000;

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
