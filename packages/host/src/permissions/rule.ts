// Whether a rule speaks about what an agent wants to do. Denying looks at the worst reading of it, allowing at the best founded one:
// a deny rule matches if any part does, an allow rule only if every part does.
import { basename, isAbsolute, join, normalize } from "node:path";
import type { RuleRow, RuleTerm } from "@signalbox/protocol";
import { isLiteral, matchesPath, matchesText } from "./pattern.ts";
import { readShellLine } from "./shell-words.ts";

/** What an agent wants to do. */
export interface Subject {
  readonly agentId: string;
  readonly threadId: string;
  readonly cwd: string;
  readonly kind: string;
  readonly tool: string | null;
  readonly command: string | null;
  /** Every path it names. */
  readonly paths: readonly string[];
}

/** A rule with its text parsed. */
export interface Rule extends RuleRow {
  readonly terms: readonly RuleTerm[];
}

export type Reading = "any" | "every";

export function isInScope(rule: Rule, subject: Subject): boolean {
  if (rule.scope === null) return true;
  return rule.scope.type === "thread" ? rule.scope.id === subject.threadId : isWithin(rule.scope.id, subject.cwd);
}

/** One simple command of a command line, or the whole line as one text. */
export type Segment = { readonly words: readonly string[] } | { readonly line: string };

export function matchesRule(rule: Rule, subject: Subject, segment: Segment | null, reading: Reading): boolean {
  return isInScope(rule, subject) && rule.terms.every((term) => matchesTerm(term, subject, segment, reading));
}

function matchesTerm(term: RuleTerm, subject: Subject, segment: Segment | null, reading: Reading): boolean {
  switch (term.type) {
    case "all":
      return true;
    case "agent":
      return matchesText(term.pattern, subject.agentId);
    case "kind":
      return matchesText(term.pattern, subject.kind);
    case "tool":
      return subject.tool !== null && matchesText(term.pattern, subject.tool);
    case "path": {
      const { paths, cwd } = subject;
      if (paths.length === 0) return false;
      const matches = (path: string) => matchesPath(inFolder(term.pattern, cwd), inFolder(path, cwd));
      return reading === "any" ? paths.some(matches) : paths.every(matches);
    }
    case "command":
      return segment !== null && matchesCommand(term.pattern, segment, reading);
  }
}

/** The simple commands of a line; none when it cannot be read. */
export function segmentsOf(command: string): readonly Segment[] {
  const line = readShellLine(command);
  return line.type === "commands" ? line.commands.map((words) => ({ words })) : [];
}

function matchesCommand(pattern: string, segment: Segment, reading: Reading): boolean {
  // A wildcard would reach over separators: a whole line is allowed only by its exact text.
  if ("line" in segment && reading === "every") return isLiteral(pattern) && matchesText(pattern, segment.line);
  const words = "line" in segment ? [segment.line] : segment.words;
  // `git *` also means `git` alone.
  const patterns = pattern.endsWith(" *") ? [pattern, pattern.slice(0, -2)] : [pattern];
  const texts = reading === "any" ? readings(words) : [words.join(" ")];
  return patterns.some((candidate) => texts.some((text) => matchesText(candidate, text)));
}

const wrappers = new Set(["sudo", "doas", "env", "command", "exec", "nohup", "time", "nice", "xargs", "busybox"]);

/** The ways to read a command for a deny rule: as it stands, and without what only stands before the real program. */
function readings(segment: readonly string[]): readonly string[] {
  const texts = [segment.join(" ")];
  for (let words = segment; words.length > 0; words = words.slice(1)) {
    const [first = "", ...rest] = words;
    texts.push([basename(first), ...rest].join(" "));
    if (!first.includes("=") && !wrappers.has(basename(first)) && !first.startsWith("-")) break;
  }
  return texts;
}

function inFolder(path: string, cwd: string): string {
  return normalize(isAbsolute(path) || path.startsWith("**") ? path : join(cwd, path));
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
