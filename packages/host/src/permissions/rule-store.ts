// This module keeps all rules: from the user's config, from projects (which can only tighten), from flags, and the answers that people asked to
// remember. Those are in a file that a person can read and edit.
import { hash, randomUUID } from "node:crypto";
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { messageOf, type RuleRow } from "@signalbox/protocol";
import {
  decide,
  decideSandboxed,
  isRuleDecision,
  listPathClosures,
  maxProjectRules,
  type PathClosure,
  type Place,
  parseRule,
  type RememberScope,
  type RuleTerm,
  ruleProblem,
  type Subject,
  type Verdict,
  type WrittenRule,
} from "@signalbox/rules";
import { HostError } from "../data/host-error.ts";

type NewRule = Pick<RuleRow, "decision" | "match" | "scope">;

/** A rule with its text parsed. */
interface Rule extends RuleRow {
  readonly terms: readonly RuleTerm[];
}

/** A command can be long; the register has all of it. */
const maxNoteLength = 300;

export class RuleStore {
  readonly #file: string;
  readonly #onProblem: (problem: string) => void;
  #fixed: readonly Rule[] = [];
  #remembered: Rule[];
  /** Of answers that hold until the turn of their thread ends: never in the file. */
  #ofTurns: readonly Rule[] = [];
  /** The file holds something that could not be read, and that a person may want back. */
  #isDamaged = false;

  /** `file` holds the remembered rules; what in it cannot be read is reported and left out, never treated as an allow. */
  constructor(file: string, onProblem: (problem: string) => void) {
    this.#file = file;
    this.#onProblem = onProblem;
    this.#remembered = this.#read();
  }

  /** Adds rules that cannot be changed here: of configuration files and flags. */
  addFixed(rules: readonly NewRule[], source: RuleRow["source"]): void {
    this.#fixed = [...this.#fixed, ...rules.map((rule) => this.#make(rule, source, null))];
  }

  /** Replaces the rules of the user's config.json. */
  setConfig(rules: readonly WrittenRule[]): void {
    this.#fixed = this.#fixed.filter((rule) => rule.source !== "user_config");
    this.addFixed(
      rules.map(({ decision, match }) => ({ decision, match, scope: null })),
      "user_config",
    );
  }

  /** Replaces the rules of a project. Throws when there are too many: a project may be a stranger's. */
  setProject(folder: string, rules: readonly Omit<NewRule, "scope">[]): void {
    if (rules.length > maxProjectRules) {
      throw new HostError(
        "bad_request",
        `The project's config.json has ${rules.length} rules that ask or deny; at most ${maxProjectRules} are possible.`,
      );
    }
    this.#fixed = this.#fixed.filter((rule) => rule.source !== "project_config" || rule.scope?.id !== folder);
    const scope = { type: "folder", id: folder } as const;
    this.addFixed(
      rules.map((rule) => ({ ...rule, scope })),
      "project_config",
    );
  }

  /** Removes the rules that were limited to a thread. */
  forgetThread(threadId: string): void {
    this.forgetTurn(threadId);
    this.#fixed = this.#fixed.filter((rule) => rule.scope?.id !== threadId);
    const kept = this.#remembered.filter((rule) => rule.scope?.id !== threadId);
    if (kept.length < this.#remembered.length) this.#write(kept);
  }

  remember(rule: NewRule): RuleRow {
    const known = this.#remembered.find((other) => isSameRule(other, rule));
    if (known !== undefined) return known;
    const made = this.#make(rule, "remembered", Date.now());
    this.#write([...this.#remembered, made]);
    return made;
  }

  /** Remembers an answer about this as far as a person said. */
  rememberAnswer(scope: Exclude<RememberScope, "once">, { threadId, cwd }: Subject, rule: WrittenRule): RuleRow {
    const inThread = { type: "thread", id: threadId } as const;
    switch (scope) {
      case "turn": {
        const made = this.#make({ ...rule, scope: inThread }, "turn", Date.now());
        this.#ofTurns = [...this.#ofTurns, made];
        return made;
      }
      case "thread":
        return this.remember({ ...rule, scope: inThread });
      case "folder":
        return this.remember({ ...rule, scope: { type: "folder", id: cwd } });
      case "always":
        return this.remember({ ...rule, scope: null });
    }
  }

  /** Removes the rules that hold until the turn of this thread ends. */
  forgetTurn(threadId: string): void {
    this.#ofTurns = this.#ofTurns.filter((rule) => rule.scope?.id !== threadId);
  }

  remove(id: string): void {
    if (this.#ofTurns.some((rule) => rule.id === id)) {
      this.#ofTurns = this.#ofTurns.filter((rule) => rule.id !== id);
      return;
    }
    if (!this.#remembered.some((rule) => rule.id === id)) {
      throw new HostError(
        "not_found",
        "There is no remembered rule with this id. Rules of a config file are changed there.",
      );
    }
    this.#write(this.#remembered.filter((rule) => rule.id !== id));
  }

  /** What the rules say. Notes that a rule was used. */
  decide(subject: Subject): Verdict<Rule> {
    const verdict = this.preview(subject);
    if (verdict.rule !== undefined) this.#noteUse(verdict.rule, subject);
    return verdict;
  }

  /** What the rules would say. */
  preview(subject: Subject): Verdict<Rule> {
    return decide(this.#all(), subject);
  }

  /** What they would say about a command that the sandbox holds, without the network. */
  previewSandboxed(subject: Subject): Verdict<Rule> {
    return decideSandboxed(this.#all(), subject);
  }

  /** The paths that they close to this command, or to any program where it names no command. */
  listClosures(subject: Place & Partial<Pick<Subject, "command" | "commandFolder">>): readonly PathClosure[] {
    const { command, commandFolder } = subject;
    const line = command === undefined || commandFolder === undefined ? undefined : { command, commandFolder };
    return listPathClosures(this.#all(), subject, line);
  }

  list(): readonly RuleRow[] {
    return this.#all().map(({ terms: _terms, ...row }) => row);
  }

  #all(): readonly Rule[] {
    return [...this.#fixed, ...this.#remembered, ...this.#ofTurns];
  }

  #make({ decision, match, scope }: NewRule, source: RuleRow["source"], created_at: number | null): Rule {
    const terms = parseRule(match);
    if (terms === undefined) throw new HostError("bad_request", ruleProblem(match) ?? "This is no rule.");
    return {
      id: source === "remembered" ? identifyRule({ decision, match, scope }) : randomUUID(),
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
    const last_match = { text: text.slice(0, maxNoteLength), thread_id: threadId };
    const used = { ...rule, last_matched_at: Date.now(), last_match, match_count: rule.match_count + 1 };
    const swap = (other: Rule) => (other.id === rule.id ? used : other);
    this.#fixed = this.#fixed.map(swap);
    this.#remembered = this.#remembered.map(swap);
    this.#ofTurns = this.#ofTurns.map(swap);
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
      const rule = readStoredRule(entry);
      if (rule === undefined) return this.#unread(`has no rule as entry ${index + 1}, which is ignored.`);
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

/** The same after a restart, so that a command can name a rule that an earlier one listed. */
function identifyRule({ decision, match, scope }: NewRule): string {
  return hash("sha256", JSON.stringify([decision, match, scope?.type, scope?.id])).slice(0, 32);
}

function isSameRule(one: NewRule, other: NewRule): boolean {
  const isSameScope = one.scope?.type === other.scope?.type && one.scope?.id === other.scope?.id;
  return one.decision === other.decision && one.match === other.match && isSameScope;
}

function readStoredRule(entry: unknown): (NewRule & { created_at: number | null }) | undefined {
  if (typeof entry !== "object" || entry === null) return undefined;
  const { decision, match, scope, created_at } = entry as Record<string, unknown>;
  if (!isRuleDecision(decision) || typeof match !== "string") return undefined;
  const limited = readStoredScope(scope);
  if (limited === undefined) return undefined;
  const created = typeof created_at === "number" ? created_at : null;
  return { decision, match, scope: limited, created_at: created };
}

/** Undefined when it is not a scope: a rule whose limit cannot be read must not become one without a limit. */
function readStoredScope(scope: unknown): RuleRow["scope"] | undefined {
  if (scope === null || scope === undefined) return null;
  if (typeof scope !== "object") return undefined;
  const { type, id } = scope as Record<string, unknown>;
  return (type === "thread" || type === "folder") && typeof id === "string" ? { type, id } : undefined;
}
