// This module decides about a command that the sandbox really holds, without the network: it needs no permission unless a rule speaks about it.
// Host and agent use it, so that both mean the same.
import { decide, type Verdict } from "./decide.ts";
import { absolutePath, isWithin } from "./path-names.ts";
import type { Rule } from "./rule.ts";
import type { Subject } from "./subject.ts";

/**
 * Allowed, without a rule, is what runs in the thread's folder: as if there was a rule for it that every other rule beats. The caller must know
 * that the command cannot leave the sandbox.
 */
export function decideSandboxed<R extends Rule>(rules: readonly R[], subject: Subject): Verdict<R> {
  const verdict = decide(rules, subject);
  if (verdict.rule !== undefined || !isInFolder(subject)) return verdict;
  const implied: Rule = { decision: "allow", terms: [{ type: "kind", pattern: "execute" }] };
  return decide<Rule>([...rules, implied], subject).decision === "allow"
    ? { decision: "allow", rule: undefined }
    : verdict;
}

function isInFolder({ kind, command, isCommandExact, commandFolder, cwd }: Subject): boolean {
  return (
    kind === "execute" && command !== undefined && isCommandExact && isWithin(commandFolder, absolutePath(cwd, "/"))
  );
}
