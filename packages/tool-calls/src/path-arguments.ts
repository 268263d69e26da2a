// Which arguments of a tool are paths, and from which line on. Names differ between agents; the words of the name decide.
import { homedir } from "node:os";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type Fields, isCount } from "./arguments.ts";
import { wordsOf } from "./tool-name.ts";

const pathWords: ReadonlySet<string> = new Set(["path", "file", "filename", "filepath", "directory", "dir", "folder"]);
const endWords: ReadonlySet<string> = new Set([
  "source",
  "src",
  "destination",
  "dest",
  "dst",
  "from",
  "to",
  "target",
  "uri",
]);
const longestPath = 4096;

/** The paths among the direct fields, in the order they stand there. */
export function pathsIn(fields: Fields): string[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    typeof value === "string" && isPathArgument(name, value) ? [value] : [],
  );
}

/** Whether a text can be a path where a path is expected. */
export function isPath(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value.trim() !== "" &&
    value.length <= longestPath &&
    !/[\n\r\0]/.test(value) &&
    (!/^[a-z][a-z0-9+.-]+:\/\//i.test(value) || value.startsWith("file://"))
  );
}

function isPathArgument(name: string, value: string): boolean {
  if (!isPath(value)) return false;
  const last = wordsOf(name).at(-1) ?? "";
  return pathWords.has(last) || (endWords.has(last) && /^~?[/\\.]|[/\\]/.test(value));
}

/** The 1-based line that the fields name: `line` and its like count from 1, `offset` counts the lines that are skipped. */
export function lineIn(fields: Fields): number | undefined {
  for (const name of ["line", "line_number", "lineNumber", "start_line", "startLine"]) {
    const value = fields[name];
    if (isCount(value) && value > 0) return value;
  }
  return isCount(fields.offset) && fields.offset > 0 ? fields.offset + 1 : undefined;
}

/** The absolute path that an argument means; `~` is the home folder, as every shell has it. */
export function absolutePath(path: string, cwd: string): string {
  if (path.startsWith("file://")) {
    try {
      return fileURLToPath(path);
    } catch {
      return resolve(cwd, path);
    }
  }
  return path === "~" || path.startsWith("~/") ? resolve(homedir(), path.slice(2)) : resolve(cwd, path);
}

/** The path as a person in that folder would say it. */
export function pathWithin(cwd: string, path: string): string {
  if (!isAbsolute(path)) return path;
  const inside = relative(cwd, path);
  return inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? path : inside;
}
