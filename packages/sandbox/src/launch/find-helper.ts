// Finds the compiled helper: where the environment variable says, or in the checkout that contains this code.
import { accessSync, constants } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";

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

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
