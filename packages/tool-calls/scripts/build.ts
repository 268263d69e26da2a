// Builds the package as it is published, and writes its reference.
//   node packages/tool-calls/scripts/build.ts     builds into packages/tool-calls/dist, for `npm publish packages/tool-calls/dist`,
//                                                 and writes docs/tool-calls.md from the types
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { buildPackage } from "../../../scripts/packages/build-package.ts";
import { renderApi } from "./api-docs.ts";

const packageFolder = resolve(import.meta.dirname, "..");

/** Where the reference that `renderApi` makes is kept. */
export const apiDocs: string = join(resolve(packageFolder, "../.."), "docs/tool-calls.md");

if (import.meta.main) {
  const folder = join(packageFolder, "dist");
  await buildPackage("tool-calls", folder);
  await writeFile(apiDocs, await renderApi(folder));
}
