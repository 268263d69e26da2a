// Where paths lead when links are followed, so that a link cannot lead around a rule.
import { isAbsolute, join, relative, resolve } from "node:path";
import type { JsonObject } from "@signalbox/protocol";
import { canRead } from "@signalbox/sandbox";
import type { Subject } from "../permissions/rule.ts";
import { subjectOf } from "../permissions/subject.ts";
import type { ServedThread } from "./served-thread.ts";

type Place = Pick<ServedThread, "place" | "policy">;

/** What is in the thread's folder is named as in that folder, which may itself be reached by a link. */
export function realPath({ policy, place: { cwd } }: Place, path: string): string {
  const real = canRead(policy, resolve(cwd, path)).path;
  const folder = canRead(policy, cwd).path;
  return isInside(real, folder) ? join(cwd, relative(folder, real)) : real;
}

/** What rules are asked about: a tool call with every path as it is named and as it leads. */
export function realSubjectOf(thread: Place, toolCall: JsonObject): Subject {
  const subject = subjectOf(toolCall, thread.place);
  const real = subject.paths.map((path) => [path, realPath(thread, path)] as const);
  const paths = real.flatMap(([path, leads]) => (leads === resolve(subject.cwd, path) ? [path] : [path, leads]));
  return { ...subject, paths: [...new Set(paths)] };
}

export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way === ".." || way.startsWith("../") || isAbsolute(way));
}
