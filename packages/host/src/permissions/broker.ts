// This module answers agents' questions for permission. Rules answer immediately; other questions wait for a person, on any screen. The first
// answer counts, a timeout denies, and a remembered answer also settles every other question that it covers.
import { randomUUID } from "node:crypto";
import type { Fact, JsonObject, PermissionOption, PermissionStatus } from "@signalbox/protocol";
import { type RememberScope, ruleFor, type Subject, type Verdict } from "@signalbox/rules";
import type { Register } from "@signalbox/tinyvex";
import { HostError } from "../data/host-error.ts";
import type { RuleStore } from "./rule-store.ts";

export interface Question {
  readonly subject: Subject;
  /** The tool call as the agent described it in the question; null when the host itself asks about no call. */
  readonly toolCall: ({ readonly toolCallId: string } & JsonObject) | null;
  readonly options: readonly PermissionOption[];
}

interface Answer {
  readonly status: Exclude<PermissionStatus, "pending">;
  /** The agent's own option; null when the agent gets "cancelled". */
  readonly optionId: string | null;
  readonly decidedBy: "person" | "command" | "rule" | "timeout" | "cancel";
}

interface Waiting {
  readonly question: Question;
  readonly settle: (answer: Answer, rule: string | null) => void;
}

export class PermissionBroker {
  readonly #register: Register;
  readonly #rules: RuleStore;
  readonly #timeoutMs: number;
  readonly #waiting = new Map<string, Waiting>();

  /** A question that has no answer after `timeoutMs` is denied. */
  constructor(register: Register, rules: RuleStore, timeoutMs: number) {
    this.#register = register;
    this.#rules = rules;
    this.#timeoutMs = timeoutMs;
  }

  /** Gives the answer; never rejects. When `signal` aborts, the question is cancelled. */
  ask(question: Question, signal: AbortSignal): Promise<Answer> {
    const { threadId } = question.subject;
    const permissionId = `permission-${randomUUID()}`;
    const { toolCall, options, subject } = question;
    const remembered = ruleFor(subject);
    const verdict = this.#rules.preview(subject);
    this.#record(threadId, {
      type: "permission_requested",
      permission_id: permissionId,
      tool_call: toolCall,
      options,
      rule: verdict.decision === "ask" ? (verdict.rule?.match ?? null) : null,
      rule_if_remembered: remembered?.match ?? null,
      remember_scopes: remembered?.scopes ?? [],
    });
    return new Promise((resolve) => {
      const onAbort = () => settle({ status: "cancelled", optionId: null, decidedBy: "cancel" }, null);
      const settle: Waiting["settle"] = (answer, rule) => {
        if (!this.#waiting.delete(permissionId)) return;
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        const { status, optionId: option_id, decidedBy: decided_by } = answer;
        const decided = { permission_id: permissionId, status, option_id, decided_by, rule };
        this.#record(threadId, { type: "permission_decided", ...decided });
        resolve(answer);
      };
      const timer = setTimeout(() => settle(denial(options, "timeout"), null), this.#timeoutMs);
      this.#waiting.set(permissionId, { question, settle });
      if (signal.aborted) onAbort();
      else {
        signal.addEventListener("abort", onAbort);
        this.#settleByRule(permissionId);
      }
    });
  }

  /** What the rules say, without asking anybody. */
  preview(subject: Subject): Verdict {
    return this.#rules.preview(subject);
  }

  /** Gives an answer: one of the agent's options, how far it is remembered, and who gave it. */
  respond(
    threadId: string,
    permissionId: string,
    optionId: string,
    remember: RememberScope = "once",
    decidedBy: "person" | "command" = "person",
  ): void {
    const waiting = this.#waiting.get(permissionId);
    if (waiting === undefined || waiting.question.subject.threadId !== threadId) {
      throw new HostError("conflict", "This question is not open any more: it was answered, or the agent withdrew it.");
    }
    const { question, settle } = waiting;
    const option = question.options.find((candidate) => candidate.optionId === optionId);
    if (option === undefined) {
      const offered = question.options.map((candidate) => candidate.optionId).join(", ");
      throw new HostError("bad_request", `The agent offered no option ${optionId}. It offered ${offered}.`);
    }
    const allows = option.kind.startsWith("allow");
    const rule = remember === "once" ? null : this.#remember(question, allows, remember);
    settle({ status: allows ? "allowed" : "denied", optionId, decidedBy }, rule);
    if (rule !== null) this.settleByRules();
  }

  /** Answers waiting questions by the rules, after the rules have changed. */
  settleByRules(): void {
    for (const permissionId of this.#waiting.keys()) this.#settleByRule(permissionId);
  }

  /** Gives the text of the rule that was written. Throws when no rule could name this and nothing else. */
  #remember({ subject }: Question, allows: boolean, remember: Exclude<RememberScope, "once">): string {
    const rule = ruleFor(subject);
    if (rule === undefined || !rule.scopes.includes(remember)) {
      const why = rule === undefined ? "No rule could name this and nothing else" : "The rule would allow a whole kind";
      throw new HostError("bad_request", `${why}, so this answer cannot be remembered that far.`);
    }
    const scope = {
      thread: { type: "thread", id: subject.threadId },
      folder: { type: "folder", id: subject.cwd },
      always: null,
    } as const;
    const decision = allows ? "allow" : "deny";
    return this.#rules.remember({ decision, match: rule.match, scope: scope[remember] }).match;
  }

  #settleByRule(permissionId: string): void {
    const waiting = this.#waiting.get(permissionId);
    if (waiting === undefined) return;
    const { question, settle } = waiting;
    const verdict = this.#rules.decide(question.subject);
    const answer = answerOf(verdict, question.options);
    if (answer !== undefined) settle(answer, verdict.rule?.match ?? null);
  }

  #record(threadId: string, fact: Fact): void {
    this.#register.append(threadId, { type: "fact", fact });
  }
}

/** Undefined where a person has to answer. */
function answerOf({ decision }: Verdict, options: readonly PermissionOption[]): Answer | undefined {
  if (decision === "ask") return undefined;
  if (decision === "deny") return denial(options, "rule");
  // "Once" before "always": our own rules remember.
  const optionId = pick(options, ["allow_once", "allow_always"]);
  return optionId === undefined ? undefined : { status: "allowed", optionId, decidedBy: "rule" };
}

/** An agent that offered no way to say no gets "cancelled". */
function denial(options: readonly PermissionOption[], decidedBy: "rule" | "timeout"): Answer {
  const status = decidedBy === "rule" ? "denied" : "timed_out";
  return { status, optionId: pick(options, ["reject_once", "reject_always"]) ?? null, decidedBy };
}

function pick(options: readonly PermissionOption[], kinds: readonly string[]): string | undefined {
  return kinds
    .map((kind) => options.find((option) => option.kind === kind)?.optionId)
    .find((optionId) => optionId !== undefined);
}
