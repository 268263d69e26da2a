// What the rules say about something an agent wants to do: deny beats ask beats allow; where no rule speaks, a person is asked.
import { isInScope, matchesRule, type Reading, type Rule, type Segment, type Subject, segmentsOf } from "./rule.ts";

export interface RuleVerdict {
  readonly decision: "allow" | "ask" | "deny";
  /** The rule that decided; null where none speaks. */
  readonly rule: Rule | null;
}

const unspoken: RuleVerdict = { decision: "ask", rule: null };

export function decide(rules: readonly Rule[], subject: Subject): RuleVerdict {
  if (subject.command === null) return decidePart(rules, subject, null);
  // A rule may name the whole line, as a remembered answer does.
  const whole = decidePart(rules, subject, { line: subject.command });
  if (whole.decision === "deny" || (whole.rule !== null && namesCommand(whole.rule))) return whole;
  const segments = segmentsOf(subject.command);
  if (segments.length === 0) return hidesForbidden(rules, subject) ? unspoken : whole;
  const verdicts = segments.map((segment) => decidePart(rules, subject, segment));
  return (
    verdicts.find((verdict) => verdict.decision === "deny") ??
    verdicts.find((verdict) => verdict.decision === "ask") ??
    verdicts[0] ??
    unspoken
  );
}

function decidePart(rules: readonly Rule[], subject: Subject, segment: Segment | null): RuleVerdict {
  const first = (decision: Rule["decision"], reading: Reading) =>
    rules.find((rule) => rule.decision === decision && matchesRule(rule, subject, segment, reading));
  const rule = first("deny", "any") ?? first("ask", "any") ?? first("allow", "every");
  return rule === undefined ? unspoken : { decision: rule.decision, rule };
}

/** A line that cannot be read may hold what a rule forbids or wants asked: then no general leave covers it. */
function hidesForbidden(rules: readonly Rule[], subject: Subject): boolean {
  return rules.some((rule) => rule.decision !== "allow" && namesCommand(rule) && isInScope(rule, subject));
}

function namesCommand(rule: Rule): boolean {
  return rule.terms.some((term) => term.type === "command");
}
