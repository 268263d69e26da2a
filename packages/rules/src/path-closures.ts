// This module reads from the rules which paths are closed to commands. A command can open any path without naming it, so a rule that denies a path, or
// wants a question about it, is enforced by the sandbox: hidden where reading is meant, read-only where only changes are.
import { absolutePattern, fold, isInScope, pathMentioner } from "./decide.ts";
import { wordsAsPaths } from "./paths-in-command.ts";
import { hasWildcard, matchesText, unescapePattern } from "./pattern.ts";
import type { Rule } from "./rule.ts";
import type { Place, Subject } from "./subject.ts";

export interface PathClosure {
  readonly decision: "deny" | "ask";
  readonly access: "hidden" | "read";
  /** Whether this absolute path is closed. */
  readonly matches: (path: string) => boolean;
  /** The one path that the pattern means, with everything below it; undefined where the disk has to be searched for matches. */
  readonly path: string | undefined;
}

/** The kinds of calls that change what is at a path. */
const changes = ["edit", "delete", "move"] as const;

/**
 * The closures for a command of this thread. What the command itself names is not closed by a rule that asks: the person has been asked about the
 * command then.
 */
export function listPathClosures(
  rules: readonly Rule[],
  place: Place,
  command?: Pick<Subject, "command" | "commandFolder">,
): readonly PathClosure[] {
  const { command: line, commandFolder } = command ?? {};
  const named =
    line === undefined || commandFolder === undefined
      ? []
      : wordsAsPaths(line, { commandFolder, home: place.home }).map(fold);
  return rules.flatMap((rule) => {
    if (rule.decision === "allow" || !isInScope(rule, place)) return [];
    const access = readAccess(rule, place.agentId);
    const written = rule.terms.find((term) => term.type === "path");
    if (access === undefined || written?.type !== "path") return [];
    const mentions = pathMentioner(written.pattern, place);
    if (rule.decision === "ask" && named.some(mentions)) return [];
    const path = readFixedPath(written.pattern, place);
    return [{ decision: rule.decision, access, matches: (each) => mentions(fold(each)), path }];
  });
}

/** Undefined for a rule that is about more than paths, such as one about a tool: it says nothing about commands. */
function readAccess({ terms }: Rule, agentId: string): PathClosure["access"] | undefined {
  let access: PathClosure["access"] | undefined = "hidden";
  for (const term of terms) {
    if (term.type === "path") continue;
    if (term.type === "agent" && matchesText(term.pattern, agentId)) continue;
    if (term.type !== "kind") return undefined;
    if (matchesText(term.pattern, "read")) continue;
    access = changes.some((kind) => matchesText(term.pattern, kind)) ? "read" : undefined;
    if (access === undefined) return undefined;
  }
  return terms.filter(({ type }) => type === "path").length === 1 ? access : undefined;
}

function readFixedPath(written: string, place: Place): string | undefined {
  if (written.startsWith("**")) return undefined;
  const pattern = absolutePattern(written, place).replace(/\/\*\*$/, "");
  return hasWildcard(pattern) ? undefined : unescapePattern(pattern);
}
