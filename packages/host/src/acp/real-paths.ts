// This module follows links, so that a link cannot lead around a rule.
import { homedir } from "node:os";
import { isAbsolute, join, relative, resolve } from "node:path";
import type { JsonObject } from "@signalbox/protocol";
import { type Subject, subjectOf } from "@signalbox/rules";
import { canRead } from "@signalbox/sandbox";
import type { ServedThread } from "./served-thread.ts";

type Place = Pick<ServedThread, "place" | "policy">;

/** Following links costs a look at the disk each. What comes after so many is not allowed by any rule about paths. */
const maxResolved = 200;
const unresolved = "/\0unresolved";

/** Where the path leads, by the thread's name for it. */
export function realPath(thread: Place, path: string): string {
  return nameInThread(thread, canRead(thread.policy, resolve(thread.place.cwd, path)).path);
}

/** A real path in the thread's folder is named as in that folder, which may itself be reached by a link. */
export function nameInThread({ policy, place: { cwd } }: Place, real: string): string {
  const folder = canRead(policy, cwd).path;
  return isInside(real, folder) ? join(cwd, relative(folder, real)) : real;
}

/** What rules are asked about: a tool call with every path as it is named and as it leads. */
export function realSubjectOf(thread: Place, toolCall: JsonObject): Subject {
  const subject = subjectOf(toolCall, thread.place);
  const named = subject.paths.slice(0, maxResolved).flatMap((path) => meaningsOf(path, subject.cwd));
  const rest = subject.paths.length > maxResolved ? [...subject.paths.slice(maxResolved), unresolved] : [];
  return {
    ...subject,
    paths: [...new Set([...named.flatMap((path) => [path, realPath(thread, path)]), ...rest])],
    targets: [...new Set(subject.targets.slice(0, maxResolved).map((path) => realPath(thread, path)))],
    commandFolder: realPath(thread, subject.commandFolder),
  };
}

/** `~` is the home folder for most tools, and a name like any other for the rest. */
function meaningsOf(path: string, cwd: string): readonly string[] {
  const inFolder = resolve(cwd, path);
  return path === "~" || path.startsWith("~/") ? [inFolder, join(homedir(), path.slice(1))] : [inFolder];
}

export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way === ".." || way.startsWith("../") || isAbsolute(way));
}
