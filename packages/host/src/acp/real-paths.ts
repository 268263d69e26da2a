// This module follows links, so that a link cannot lead around a rule.
import { resolve } from "node:path";
import type { JsonObject } from "@signalbox/protocol";
import { describeSubject, followLinks, type Subject } from "@signalbox/rules";
import { nameInFolder, resolveInFolder } from "@signalbox/sandbox";
import type { ThreadContext } from "./thread-context.ts";

type Place = Pick<ThreadContext, "place">;

/** Where the path leads, by the thread's name for it; the path itself where that cannot be seen. */
export function realPath({ place: { cwd } }: Place, path: string): string {
  const named = resolve(cwd, path);
  return resolveInFolder(named, cwd) ?? named;
}

/** A real path in the thread's folder is named as in that folder, which may itself be reached by a link. */
export function nameInThread({ place: { cwd } }: Place, real: string): string {
  return nameInFolder(real, cwd);
}

/** What rules are asked about: a tool call with every path as it is named and as it leads. */
export function realSubjectOf({ place }: Place, toolCall: JsonObject): Subject {
  return followLinks(describeSubject(toolCall, place), (path) => resolveInFolder(path, place.cwd));
}
