// Finds the files that the next agent or command is started with: the bundle, the sandbox's helper, the packages, Node itself. A command
// that could write them would run outside of the sandbox next.
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

const inCheckout: readonly string[] = ["signalbox", ".toolchain", "node_modules"];
const inPackage: readonly string[] = ["dist", "node_modules"];

let found: readonly string[] | undefined;

/** Lists the existing files of the program. Searched once, because the program does not move while it runs. */
export function findSignalboxProgram(): readonly string[] {
  found ??= [process.execPath, ...listProgramFiles(checkout(import.meta.dirname))];
  return found;
}

export function listProgramFiles(root: string | undefined): readonly string[] {
  if (root === undefined) return [];
  const packages = join(root, "packages");
  // Not with `globSync`: it loads a parser of patterns that nothing else here needs.
  const names = existsSync(packages) ? readdirSync(packages) : [];
  return [
    ...inCheckout.map((name) => join(root, name)),
    ...names.flatMap((name) => inPackage.map((folder) => join(packages, name, folder))),
  ].filter((path) => existsSync(path));
}

/** The checkout that this code, bundled or not, lies in. */
function checkout(folder: string): string | undefined {
  if (existsSync(join(folder, "packages/sandbox/native"))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : checkout(parent);
}
