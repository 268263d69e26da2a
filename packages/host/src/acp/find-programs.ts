// Finds the files of the programs that a command line names, by the PATH that it would run with: a person sees which `git` would run.
import { isAbsolute, join, resolve } from "node:path";
import { listPrograms } from "@signalbox/rules";
import { executableFile } from "@signalbox/sandbox";

interface CommandPlace {
  readonly folder: string;
  /** Undefined where the PATH is not set. */
  readonly path: string | undefined;
}

/** A person reads them. */
const maxPrograms = 20;

/** Words of the line that are no program on the PATH, such as builtins of the shell, are left out. */
export function findPrograms(line: string, { folder, path = "" }: CommandPlace): readonly string[] {
  // An empty part of the PATH is the folder in which the command runs.
  const folders = path.split(":").map((each) => (isAbsolute(each) ? each : resolve(folder, each)));
  const found = listPrograms(line).map((name) => {
    const candidates = name.includes("/") ? [resolve(folder, name)] : folders.map((each) => join(each, name));
    return candidates.find((candidate) => executableFile(candidate) !== null);
  });
  return [...new Set(found.filter((file) => file !== undefined))].slice(0, maxPrograms);
}
