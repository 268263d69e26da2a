// All rules there are: from the user's config, from projects (which can only tighten), from flags, and the answers people asked to
// remember, which lie in a file that a person can read and edit.
import { randomUUID } from "node:crypto";
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { parseRule, type RuleDecision, type RuleRow } from "@signalbox/protocol";
import { HostError, messageOf } from "../data/host-error.ts";
import { decide, type RuleVerdict } from "./decide.ts";
import type { Rule, Subject } from "./rule.ts";

export type NewRule = Pick<RuleRow, "decision" | "match" | "scope">;

/** A command can be long; it is in the register whole. */
const longestNote = 300;

export class RuleBook {
  readonly #file: string;
  readonly #onProblem: (problem: string) => void;
  #fixed: readonly Rule[] = [];
  #remembered: Rule[];
  /** The file holds something that we could not read, and that a person may want back. */
  #isDamaged = false;

  /** `file` holds the remembered rules; what in it cannot be read is reported and left out, never treated as an allow. */
  constructor(file: string, onProblem: (problem: string) => void) {
    this.#file = file;
    this.#onProblem = onProblem;
    this.#remembered = this.#read();
  }

  /** Rules that are not ours to change: configuration and flags. Added to those there are. */
  addFixed(rules: readonly NewRule[], source: RuleRow["source"]): void {
    this.#fixed = [...this.#fixed, ...rules.map((rule) => this.#make(rule, source, null))];
  }

  /** The rules of a project as they stand now, in place of those that it had before. */
  setProject(folder: string, rules: readonly Omit<NewRule, "scope">[]): void {
    this.#fixed = this.#fixed.filter((rule) => rule.source !== "project_config" || rule.scope?.id !== folder);
    const scope = { type: "folder", id: folder } as const;
    this.addFixed(
      rules.map((rule) => ({ ...rule, scope })),
      "project_config",
    );
  }

  /** A thread is gone, and with it the rules that were only its own. */
  forgetThread(threadId: string): void {
    this.#fixed = this.#fixed.filter((rule) => rule.scope?.id !== threadId);
    const kept = this.#remembered.filter((rule) => rule.scope?.id !== threadId);
    if (kept.length < this.#remembered.length) this.#write(kept);
  }

  remember(rule: NewRule): RuleRow {
    const made = this.#make(rule, "remembered", Date.now());
    this.#write([...this.#remembered, made]);
    return made;
  }

  remove(id: string): void {
    if (!this.#remembered.some((rule) => rule.id === id)) {
      throw new HostError(
        "not_found",
        "There is no remembered rule with this id. Rules of a config file are changed there.",
      );
    }
    this.#write(this.#remembered.filter((rule) => rule.id !== id));
  }

  /** What the rules say, and the note that a rule was used. */
  decide(subject: Subject): RuleVerdict {
    const verdict = decide([...this.#fixed, ...this.#remembered], subject);
    if (verdict.rule !== null) this.#noteUse(verdict.rule, subject);
    return verdict;
  }

  /** Whether a rule denies it, which nothing else can outdo. */
  forbids(subject: Subject): boolean {
    return decide([...this.#fixed, ...this.#remembered], subject).decision === "deny";
  }

  list(): readonly RuleRow[] {
    return [...this.#fixed, ...this.#remembered].map(({ terms: _terms, ...row }) => row);
  }

  #make({ decision, match, scope }: NewRule, source: RuleRow["source"], created_at: number | null): Rule {
    const terms = parseRule(match);
    if (terms === null) {
      throw new HostError(
        "bad_request",
        `"${match}" is no rule. A rule is "all" or terms such as kind:edit, tool:bash, command:git *, path:src/**, agent:ID, joined by commas.`,
      );
    }
    return {
      id: randomUUID(),
      decision,
      match,
      terms,
      source,
      scope,
      created_at,
      last_matched_at: null,
      last_match: null,
      match_count: 0,
    };
  }

  #noteUse(rule: Rule, { threadId, command, paths, tool, kind }: Subject): void {
    const text = command ?? (paths.length > 0 ? paths.join(", ") : (tool ?? kind));
    const last_match = { text: text.slice(0, longestNote), thread_id: threadId };
    const used = { ...rule, last_matched_at: Date.now(), last_match, match_count: rule.match_count + 1 };
    const swap = (other: Rule) => (other.id === rule.id ? used : other);
    this.#fixed = this.#fixed.map(swap);
    this.#remembered = this.#remembered.map(swap);
  }

  #read(): Rule[] {
    if (!existsSync(this.#file)) return [];
    let entries: unknown;
    try {
      entries = JSON.parse(readFileSync(this.#file, "utf8"));
    } catch (error) {
      return this.#unread(`cannot be read (${messageOf(error)}); no remembered answer is used until it is mended.`);
    }
    if (!Array.isArray(entries)) {
      return this.#unread("is not a list of rules; no remembered answer is used until it is mended.");
    }
    return entries.flatMap((entry: unknown, index) => {
      const rule = ruleIn(entry);
      if (rule === null) return this.#unread(`has no rule as entry ${index + 1}, which is ignored.`);
      try {
        return [this.#make(rule, "remembered", rule.created_at)];
      } catch {
        return this.#unread(`has no rule as entry ${index + 1}, "${rule.match}", which is ignored.`);
      }
    });
  }

  #unread(problem: string): Rule[] {
    this.#isDamaged = true;
    this.#onProblem(`${this.#file} ${problem}`);
    return [];
  }

  #write(rules: Rule[]): void {
    const entries = rules.map(({ decision, match, scope, created_at }) => ({ decision, match, scope, created_at }));
    const unfinished = `${this.#file}.${process.pid}`;
    try {
      if (this.#isDamaged) copyFileSync(this.#file, `${this.#file}.damaged`);
      writeFileSync(unfinished, `${JSON.stringify(entries, null, 2)}\n`, { mode: 0o600 });
      renameSync(unfinished, this.#file);
    } catch (error) {
      rmSync(unfinished, { force: true });
      throw new HostError(
        "unavailable",
        `${this.#file} cannot be written, so no rule was changed: ${messageOf(error)}`,
        {
          cause: error,
        },
      );
    }
    this.#isDamaged = false;
    this.#remembered = rules;
  }
}

const decisions: readonly string[] = ["allow", "ask", "deny"] satisfies RuleDecision[];

function ruleIn(entry: unknown): (NewRule & { created_at: number | null }) | null {
  if (typeof entry !== "object" || entry === null) return null;
  const { decision, match, scope, created_at } = entry as Record<string, unknown>;
  if (typeof decision !== "string" || !decisions.includes(decision) || typeof match !== "string") return null;
  const limited = scopeIn(scope);
  if (limited === undefined) return null;
  const created = typeof created_at === "number" ? created_at : null;
  return { decision: decision as RuleDecision, match, scope: limited, created_at: created };
}

/** Undefined when it is not a scope: a rule whose limit cannot be read must not become one without a limit. */
function scopeIn(scope: unknown): RuleRow["scope"] | undefined {
  if (scope === null || scope === undefined) return null;
  if (typeof scope !== "object") return undefined;
  const { type, id } = scope as Record<string, unknown>;
  return (type === "thread" || type === "folder") && typeof id === "string" ? { type, id } : undefined;
}
