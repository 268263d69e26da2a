// This module reads and writes permission rules: terms joined by commas that must all hold, such as `kind:edit,path:src/**` or `command:git *`.
import { hasWildcard } from "./pattern.ts";

export type RuleDecision = "allow" | "ask" | "deny";

/** The types of terms, in the order in which a rule is written. */
export const termTypes = ["agent", "kind", "tool", "title", "path", "host", "escalate", "command"] as const;

export type TermType = (typeof termTypes)[number];

export type RuleTerm = { readonly type: "all" } | { readonly type: TermType; readonly pattern: string };

/** A rule as people write it: the decision, and the terms as text. */
export interface WrittenRule {
  readonly decision: RuleDecision;
  readonly match: string;
}

/** A thread's id or a folder's path that a rule is limited to. */
export interface RuleScope {
  readonly type: "thread" | "folder";
  readonly id: string;
}

/** A rule that can be compared with what an agent wants to do. */
export interface Rule {
  readonly decision: RuleDecision;
  readonly terms: readonly RuleTerm[];
  /** Null or absent where it holds everywhere. */
  readonly scope?: RuleScope | null;
}

/** A rule may come from a stranger's project. These limits bound what matching can cost. */
export const maxPatternLength = 500;
export const maxWildcards = 10;
const maxStarsInNames = 2;
/** A pattern without wildcards is compared once, and a remembered command can be long. */
export const maxLiteralLength = 50_000;
export const maxProjectRules = 100;

const howToWrite =
  'A rule is "all" or terms such as kind:edit, tool:bash, command:git *, path:src/**, host:example.org, escalate:outside, title:TEXT, agent:ID, joined by commas.';

/** The terms of a rule; undefined when the text is no rule. Commas inside a pattern are written `\,`. */
export function parseRule(text: string): readonly RuleTerm[] | undefined {
  const parsed = readTerms(text);
  return typeof parsed === "string" ? undefined : parsed;
}

/** Returns one sentence about what is wrong with the text of a rule, or undefined if it is valid. */
export function ruleProblem(text: string): string | undefined {
  const parsed = readTerms(text);
  return typeof parsed === "string" ? parsed : undefined;
}

/** Splits `deny command:rm *` into its decision and its terms. The decision is undefined where the text has terms only. */
export function splitRule(text: string): { readonly decision: RuleDecision | undefined; readonly match: string } {
  const [, named, match = ""] = /^(?:(allow|ask|deny)\s+)?(.*)$/s.exec(text.trim()) ?? [];
  return { decision: isRuleDecision(named) ? named : undefined, match };
}

export function formatRule(terms: readonly RuleTerm[]): string {
  return terms
    .map((term) => (term.type === "all" ? "all" : `${term.type}:${term.pattern.replaceAll(",", "\\,")}`))
    .join(",");
}

/**
 * One entry of `permissions` in a config file: `{"allow": RULE}`, `{"ask": RULE}`, `{"deny": RULE}`, or a `decision` with a key for each term.
 * A string says what is wrong with it.
 */
export function readRuleEntry(entry: unknown): WrittenRule | string {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return entryShape;
  const { decision, ...keys } = entry as Readonly<Record<string, unknown>>;
  return decision === undefined ? readOneLine(keys) : readKeys(decision, keys);
}

/** How an entry of `permissions` is written, for an error message. */
export const entryShape = 'one of {"allow": RULE}, {"ask": RULE}, {"deny": RULE}';

export function isRuleDecision(value: unknown): value is RuleDecision {
  return value === "allow" || value === "ask" || value === "deny";
}

function readOneLine(keys: Readonly<Record<string, unknown>>): WrittenRule | string {
  const [first, ...others] = Object.entries(keys);
  if (first === undefined || others.length > 0) return entryShape;
  const [decision, match] = first;
  if (!isRuleDecision(decision) || typeof match !== "string") return entryShape;
  return ruleProblem(match) ?? { decision, match };
}

function readKeys(decision: unknown, keys: Readonly<Record<string, unknown>>): WrittenRule | string {
  if (!isRuleDecision(decision)) return `the decision is "allow", "ask" or "deny", not ${JSON.stringify(decision)}`;
  const terms: RuleTerm[] = [];
  for (const [key, pattern] of Object.entries(keys)) {
    const type = termTypes.find((name) => name === key);
    // A misspelt key would make the rule hold for everything.
    if (type === undefined) return `a rule has no "${key}", only decision, ${termTypes.join(", ")}`;
    if (typeof pattern !== "string") return `"${key}" of a rule must be a text`;
    const problem = patternProblem(pattern, type);
    if (problem !== undefined) return problem;
    terms.push({ type, pattern });
  }
  return { decision, match: formatRule(terms.length === 0 ? [{ type: "all" }] : terms) };
}

function readTerms(text: string): readonly RuleTerm[] | string {
  const terms: RuleTerm[] = [];
  for (const part of text.split(/(?<!\\),/)) {
    const written = part.trim().replaceAll("\\,", ",");
    const at = written.indexOf(":");
    const type = termTypes.find((name) => name === written.slice(0, at));
    const pattern = written.slice(at + 1).trim();
    if (written === "all") terms.push({ type: "all" });
    else if (type === undefined) return `"${shorten(text)}" is no rule. ${howToWrite}`;
    else {
      const problem = patternProblem(pattern, type);
      if (problem !== undefined) return problem;
      terms.push({ type, pattern });
    }
  }
  return terms;
}

function patternProblem(pattern: string, type: TermType): string | undefined {
  if (pattern === "") return `a pattern is empty. ${howToWrite}`;
  // Each of these doubles what a path can match.
  const inNames = pattern
    .split("/")
    .filter((name) => name.replaceAll(/\\./gs, "").includes("**") && !/^\*+$/.test(name));
  if (type === "path" && inNames.join("/").split("**").length - 1 > maxStarsInNames) {
    return `the pattern "${shorten(pattern)}" has \`**\` beside other letters more than ${maxStarsInNames} times. Between slashes it can stand more often.`;
  }
  const wildcards = pattern.replaceAll(/\\./gs, "").match(/\*+|\?/g)?.length ?? 0;
  if (wildcards > maxWildcards) {
    return `the pattern "${shorten(pattern)}" has ${wildcards} wildcards; a pattern has at most ${maxWildcards}.`;
  }
  const maxLength = hasWildcard(pattern) ? maxPatternLength : maxLiteralLength;
  if (pattern.length <= maxLength) return undefined;
  return `the pattern "${shorten(pattern)}" has ${pattern.length} characters; a pattern like this has at most ${maxLength}.`;
}

function shorten(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
