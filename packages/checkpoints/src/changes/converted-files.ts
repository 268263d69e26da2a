// Finds the files that the user's git converts when it stores them, so that their bytes are not what its index says: line ends, by .gitattributes.
// The sizes tell: git only takes away or adds bytes there.
import { setImmediate } from "node:timers/promises";
import { readPlainText } from "@signalbox/sandbox";
import { readEntryStatus } from "./entry-status.ts";
import { type BytePath, toBytes } from "./paths.ts";
import type { Store } from "./store.ts";

interface IndexedFile {
  readonly path: BytePath;
  readonly sha: string;
}

const maxAttributeBytes = 1024 * 1024;
const sliceMs = 8;

export function isAttributesFile(path: BytePath): boolean {
  return path === ".gitattributes" || path.endsWith("/.gitattributes");
}

/** Null where the attributes name more than line ends: a filter may give any bytes of the same size. */
export async function findConvertedFiles(
  folder: string,
  store: Pick<Store, "readSizes">,
  files: readonly IndexedFile[],
): Promise<readonly BytePath[] | null> {
  const toFile = (path: BytePath) => Buffer.concat([Buffer.from(`${folder}/`), toBytes(path)]);
  const attributes = files.filter(({ path }) => isAttributesFile(path));
  if (!attributes.every(({ path }) => isAboutLineEnds(toFile(path)))) return null;
  const sizes = await store.readSizes(files.map(({ sha }) => sha));
  const found: BytePath[] = [];
  let sliceStart = performance.now();
  for (const [index, { path }] of files.entries()) {
    const status = readEntryStatus(toFile(path));
    if (status?.isFile() === true && Number(status.size) !== sizes[index]) found.push(path);
    if (performance.now() - sliceStart < sliceMs) continue;
    await setImmediate();
    sliceStart = performance.now();
  }
  return found;
}

function isAboutLineEnds(file: Buffer): boolean {
  try {
    return !/filter|ident|working-tree-encoding|\[attr\]/i.test(
      readPlainText(file.toString("utf8"), maxAttributeBytes),
    );
  } catch {
    return false;
  }
}
