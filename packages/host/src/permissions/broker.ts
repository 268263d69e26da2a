// Questions of agents and their answers. Rules answer at once; the rest waits for a person, on any screen: the first answer counts, a
// time-out denies, and an answer that is to be remembered settles every other question it covers.
import { randomUUID } from "node:crypto";
import type {
  Fact,
  JsonObject,
  PermissionOption,
  PermissionStatus,
  RememberScope,
  ToolCallLocation,
} from "@signalbox/protocol";
import { ruleFor } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";
import { HostError } from "../data/host-error.ts";
import type { RuleVerdict } from "./decide.ts";
import type { Subject } from "./rule.ts";
import type { RuleBook } from "./rule-book.ts";

export interface Question {
  readonly subject: Subject;
  /** The tool call as the agent described it in the question; null when the host itself asks about no call. */
  readonly toolCall: ({ readonly toolCallId: string } & JsonObject) | null;
  readonly options: readonly PermissionOption[];
}

export interface Answer {
  readonly status: Exclude<PermissionStatus, "pending">;
  /** The agent's own option; null when it is told that the question was cancelled. */
  readonly optionId: string | null;
}

interface Waiting {
  readonly question: Question;
  readonly settle: (answer: Answer, decidedBy: string, rule: string | null) => void;
}

export class PermissionBroker {
  readonly #register: Register;
  readonly #rules: RuleBook;
  readonly #timeout: number;
  readonly #waiting = new Map<string, Waiting>();

  /** `timeout` in milliseconds: a question that nobody answers until then is denied. */
  constructor(register: Register, rules: RuleBook, timeout: number) {
    this.#register = register;
    this.#rules = rules;
    this.#timeout = timeout;
  }

  /** Resolves to the answer; never rejects. When `signal` aborts, the question is cancelled. */
  ask(question: Question, signal: AbortSignal): Promise<Answer> {
    const { threadId } = question.subject;
    const permissionId = `permission-${randomUUID()}`;
    const { toolCall, options } = question;
    this.#state(threadId, { type: "permission_requested", permission_id: permissionId, tool_call: toolCall, options });
    return new Promise((resolve) => {
      const onAbort = () => settle({ status: "cancelled", optionId: null }, "cancel", null);
      const settle: Waiting["settle"] = (answer, decidedBy, rule) => {
        if (!this.#waiting.delete(permissionId)) return;
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        const { status, optionId: option_id } = answer;
        const decided = { permission_id: permissionId, status, option_id, decided_by: decidedBy, rule };
        this.#state(threadId, { type: "permission_decided", ...decided });
        resolve(answer);
      };
      const timer = setTimeout(() => settle(denial(options, "timed_out"), "timeout", null), this.#timeout);
      this.#waiting.set(permissionId, { question, settle });
      if (signal.aborted) onAbort();
      else {
        signal.addEventListener("abort", onAbort);
        this.#settleByRule(permissionId);
      }
    });
  }

  /** Whether a rule denies it: then leave that was given for something like it does not count. */
  forbids(subject: Subject): boolean {
    return this.#rules.forbids(subject);
  }

  /** An answer: one of the agent's options, how far it is to be remembered, and whose it is. */
  respond(
    threadId: string,
    permissionId: string,
    optionId: string,
    remember: RememberScope = "once",
    decidedBy: "person" | "command" = "person",
  ): void {
    const waiting = this.#waiting.get(permissionId);
    if (waiting === undefined || waiting.question.subject.threadId !== threadId) {
      throw new HostError(
        "conflict",
        "This question is not open any more: somebody answered it, or the agent took it back.",
      );
    }
    const { question, settle } = waiting;
    const option = question.options.find((candidate) => candidate.optionId === optionId);
    if (option === undefined) {
      const offered = question.options.map((candidate) => candidate.optionId).join(", ");
      throw new HostError("bad_request", `The agent offered no option ${optionId}. It offered ${offered}.`);
    }
    const allows = option.kind.startsWith("allow");
    const rule = remember === "once" ? null : this.#remember(question, allows, remember);
    settle({ status: allows ? "allowed" : "denied", optionId }, decidedBy, rule);
    if (rule !== null) this.settleByRules();
  }

  /** There are new rules: they answer what waits. */
  settleByRules(): void {
    for (const permissionId of this.#waiting.keys()) this.#settleByRule(permissionId);
  }

  #remember({ subject, toolCall }: Question, allows: boolean, remember: Exclude<RememberScope, "once">): string {
    const described = {
      kind: subject.kind,
      name: subject.tool,
      title: typeof toolCall?.title === "string" ? toolCall.title : "",
      raw_input: subject.command === null ? null : { command: subject.command },
      locations: subject.paths.map((path): ToolCallLocation => ({ path })),
    };
    const match = ruleFor(described, subject.agentId);
    const scope = {
      thread: { type: "thread", id: subject.threadId },
      folder: { type: "folder", id: subject.cwd },
      always: null,
    } as const;
    return this.#rules.remember({ decision: allows ? "allow" : "deny", match, scope: scope[remember] }).match;
  }

  #settleByRule(permissionId: string): void {
    const waiting = this.#waiting.get(permissionId);
    if (waiting === undefined) return;
    const { question, settle } = waiting;
    const verdict = this.#rules.decide(question.subject);
    const answer = answerOf(verdict, question.options);
    if (answer !== null) settle(answer, "rule", verdict.rule?.match ?? null);
  }

  #state(threadId: string, fact: Fact): void {
    this.#register.append(threadId, { type: "fact", fact });
  }
}

function answerOf({ decision }: RuleVerdict, options: readonly PermissionOption[]): Answer | null {
  if (decision === "ask") return null;
  if (decision === "deny") return denial(options, "denied");
  // "Once" before "always": what is to be remembered, our rules remember.
  const option = pick(options, ["allow_once", "allow_always"]);
  return option === null ? null : { status: "allowed", optionId: option };
}

/** A no in the agent's own words; an agent that offered no way to say no is told that the question was cancelled. */
function denial(options: readonly PermissionOption[], status: "denied" | "timed_out"): Answer {
  return { status, optionId: pick(options, ["reject_once", "reject_always"]) };
}

function pick(options: readonly PermissionOption[], kinds: readonly string[]): string | null {
  for (const kind of kinds) {
    const option = options.find((candidate) => candidate.kind === kind);
    if (option !== undefined) return option.optionId;
  }
  return null;
}
