// Finds the arguments of a tool that are paths, and their lines. Names differ between agents; the last word of the name decides.
import { homedir } from "node:os";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type Fields, isFields, pathName, readFields } from "@signalbox/rules";
import { isCount } from "./arguments.ts";

interface PathArgument {
  /** As the model wrote it. */
  readonly path: string;
  readonly line: number | undefined;
  /** Whether a person would take it for a path. A rule must not rely on that: a tool may use it as one anyway. */
  readonly looksLikePath: boolean;
}

/** Every string that stands where a path may stand, at any depth, in the order of the arguments. */
export function pathArguments(args: unknown, within: readonly unknown[] = []): PathArgument[] {
  if (within.includes(args)) return [];
  const fields = Array.isArray(args) ? { items: args } : readFields(args);
  const line = readLine(fields);
  const own: PathArgument[] = [];
  const inner: PathArgument[] = [];
  const lines: number[] = [];
  for (const [name, value] of Object.entries(fields)) {
    for (const item of Array.isArray(value) ? value.flat(10) : [value]) {
      if (typeof item === "string") own.push(...pathArgument(name, item, line));
      if (!isFields(item)) continue;
      const found = pathArguments(item, [...within, args]);
      inner.push(...found);
      const itemLine = found.length === 0 ? readLine(item) : undefined;
      if (itemLine !== undefined) lines.push(itemLine);
    }
  }
  // The lines of `{ path, edits: [{ line: 3 }] }` are lines of that path, and say more than the path alone.
  const refined = lines.length === 0 ? own : own.flatMap((path) => lines.map((each) => ({ ...path, line: each })));
  return [...refined, ...inner];
}

function pathArgument(name: string, path: string, line: number | undefined): PathArgument[] {
  const named = pathName(name);
  const isPathWord = named === "path";
  if (path.trim() === "" || named === undefined) return [];
  const isOneLine = path.length <= 4096 && !/[\n\r\0]/.test(path);
  const isUrl = /^[a-z][a-z0-9+.-]+:\/\//i.test(path) && !path.startsWith("file://");
  const isPathText = isPathWord || (/[/\\]|^[~.]|\.\w{1,8}$/.test(path) && !path.includes("@"));
  return [{ path, line, looksLikePath: isOneLine && !isUrl && isPathText }];
}

/** The 1-based line that the fields name: `line` and its like count from 1, `offset` counts the lines that are skipped. */
export function readLine(fields: Fields): number | undefined {
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
export function shortenPath(cwd: string, path: string): string {
  if (!isAbsolute(path)) return path;
  const inside = relative(cwd, path);
  return inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? path : inside;
}
