// This module writes the rule that remembering an answer makes: the narrowest that covers the same thing again.
import { decide } from "./decide.ts";
import { escalationText } from "./escalation.ts";
import { literalPattern } from "./pattern.ts";
import { formatRule, parseRule, type RuleTerm, type TermType } from "./rule.ts";
import { unwrapCommand } from "./shell-wrapper.ts";
import { isNetworkOfCommand, isPlainCommand, type Subject } from "./subject.ts";

/** How far an answer reaches: this question, this turn, this thread, every thread in this folder, everything. */
export type RememberScope = "once" | "turn" | "thread" | "folder" | "always";

export interface RuleToRemember {
  readonly match: string;
  /** Where it may hold. A rule that says little may hold in the thread only. */
  readonly scopes: readonly Exclude<RememberScope, "once">[];
}

const inThread = ["turn", "thread"] as const;
const anywhere = [...inThread, "folder", "always"] as const;

/** Undefined when no rule could cover this and nothing else: then the answer counts once. */
export function suggestRule(subject: Subject): RuleToRemember | undefined {
  const terms = withEscalation(subject, narrowTerms(subject));
  if (terms === undefined) return undefined;
  const agent = term("agent", subject.agentId);
  const match = formatRule([agent, ...terms]);
  const parsed = parseRule(match);
  // A text that does not come back as it was written, such as a name with a blank at its end, would be another thing.
  if (parsed === undefined || decide([{ decision: "allow", terms: parsed }], subject).decision !== "allow")
    return undefined;
  return { match, scopes: terms.length === 1 && terms[0]?.type === "kind" ? inThread : anywhere };
}

/** The rule says that it lets the sandbox be left, and how. */
function withEscalation({ escalation }: Subject, terms: readonly RuleTerm[] | undefined) {
  return terms === undefined || escalation === undefined
    ? terms
    : [term("escalate", escalationText(escalation)), ...terms];
}

function narrowTerms(subject: Subject): readonly RuleTerm[] | undefined {
  const { kind, tool, title, command, paths, targets, hosts } = subject;
  const what = tool !== undefined && subject.isKindGuessed ? term("tool", tool) : term("kind", kind);
  if (command !== undefined && subject.isCommandExact) {
    const line = term("command", unwrapCommand(command).line.trim());
    if (!isPlainCommand(subject)) return undefined;
    return isNetworkOfCommand(subject) ? [what, line] : [line];
  }
  // Only the title says what would run.
  if (command !== undefined) return title?.includes(command) ? [what, term("title", title)] : undefined;
  if (paths.length > 0) return onlyOne(what, "path", targets.length === 1 ? paths : []);
  if (hosts.length > 0) return onlyOne(tool === undefined ? what : term("tool", tool), "host", hosts);
  if (tool !== undefined) return [term("tool", tool)];
  return title === undefined ? [what] : [what, term("title", title)];
}

/** One rule can name one path or host; an answer about several counts once. */
function onlyOne(what: RuleTerm, type: TermType, texts: readonly string[]): readonly RuleTerm[] | undefined {
  const [text, ...others] = texts;
  return text === undefined || others.length > 0 ? undefined : [what, term(type, text)];
}

/** Creates a literal term: only a person writes wildcards. */
function term(type: TermType, text: string): RuleTerm {
  return { type, pattern: literalPattern(text) };
}
