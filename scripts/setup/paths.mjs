// Where set-up reads and writes. Everything it brings or makes lies inside the checkout.
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** Node 24 where the machine has an older one, and the stamps that say what is up to date. */
const toolchain = join(root, ".toolchain");
/** The bundle that `./signalbox` and `npm start` run. */
export const program = join(root, "packages/cli/dist/main.js");
/** Node's flags for it, as in `./signalbox`: with a small young generation a busy host holds 25 MB less, and is as fast. */
export const nodeFlags = ["--max-semi-space-size=4"];

export function inToolchain(name) {
  mkdirSync(toolchain, { recursive: true });
  return join(toolchain, name);
}
