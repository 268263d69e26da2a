// Reads a text file that a folder of skills or commands has, and never another one: a link to elsewhere could show the model any file on the disk.
import { realpath } from "node:fs/promises";
import { sep } from "node:path";
import { readPlainFile } from "@signalbox/sandbox";

export const maxTextFileBytes = 200_000;

/** Throws an error that says what is wrong with it. */
export async function readTextFile(place: string, path: string): Promise<string> {
  const [real, realPlace] = await Promise.all([realpath(path), realpath(place)]);
  if (!real.startsWith(realPlace + sep)) throw new Error("it is a link to somewhere else");
  const { bytes, isWhole } = readPlainFile(real, maxTextFileBytes);
  if (!isWhole) throw new Error(`it is bigger than ${maxTextFileBytes / 1000} KB`);
  return bytes.toString("utf8");
}
