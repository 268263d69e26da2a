// This module says which arguments of a tool hold paths, and makes paths absolute without the file system.

const certainNames = new Set(
  ["path", "file", "filename", "filepath", "directory", "dir", "folder"].flatMap((word) => [word, `${word}s`]),
);
/** These name paths too, but also people, places and services. */
const possibleNames = new Set(
  ["source", "src", "destination", "dest", "dst", "from", "to", "target", "uri"].flatMap((word) => [word, `${word}s`]),
);

/** Whether an argument of this name holds a path: the last word of the name decides (`file_path`, `targetFile`). */
export function pathName(name: string): "path" | "maybe" | undefined {
  const last = name
    .slice(-200)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .findLast((word) => word !== "");
  if (last === undefined) return undefined;
  if (certainNames.has(last)) return "path";
  return possibleNames.has(last) ? "maybe" : undefined;
}

/** `~` and what begins with `~/`, from the root on; anything else as it is. */
export function expandHome(path: string, home: string): string {
  return path === "~" || path.startsWith("~/") ? home + path.slice(1) : path;
}

/** The path from the root on, without `.` and `..`. */
export function absolutePath(path: string, folder: string): string {
  const slashed = isWindows(folder) ? path.replaceAll("\\", "/") : path;
  const base = isWindows(folder) ? folder.replaceAll("\\", "/") : folder;
  const whole = slashed.startsWith("/") || isWindows(slashed) ? slashed : `${base}/${slashed}`;
  const kept: string[] = [];
  for (const part of whole.split("/")) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  const joined = kept.join("/");
  return isWindows(joined) ? joined : `/${joined}`;
}

/** Whether the path is the folder or in it. Both are absolute. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

function isWindows(path: string): boolean {
  return /^[A-Za-z]:([/\\]|$)/.test(path);
}
