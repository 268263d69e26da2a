// This module answers agents' questions for permission. Rules answer immediately; other questions wait for a person, on any screen. The first
// answer counts, a timeout denies, and a remembered answer also settles every other question that it covers.
import { randomUUID } from "node:crypto";
import type {
  ChangedFile,
  Fact,
  JsonObject,
  PermissionOption,
  PermissionStatus,
  QuestionSubject,
} from "@signalbox/protocol";
import {
  decide,
  findLabelledRule,
  type PathClosure,
  parseRule,
  type RememberScope,
  ruleProblem,
  type Subject,
  splitRule,
  suggestRule,
  type Verdict,
  type WrittenRule,
  widerRules,
} from "@signalbox/rules";
import type { Register } from "@signalbox/tinyvex";
import { HostError } from "../data/host-error.ts";
import { type OpenQuestion, OpenQuestions } from "./open-questions.ts";
import type { RuleStore } from "./rule-store.ts";

export interface Question {
  readonly subject: Subject;
  /** The tool call as the agent described it in the question; null when the host itself asks about no call. */
  readonly toolCall: ({ readonly toolCallId: string } & JsonObject) | null;
  readonly options: readonly PermissionOption[];
  /** What else the agent's request has. */
  readonly more?: JsonObject | undefined;
  /** What the person who answers is shown; undefined where a rule answers. */
  readonly facts?: QuestionFacts | undefined;
  /** A person refused the same in this turn: no rule allows it, a person is asked again. */
  readonly wasRefused?: boolean | undefined;
  /** Why the sandbox would refuse it after any answer: it is denied, and no one is asked. */
  readonly refused?: string | undefined;
}

export interface QuestionFacts {
  readonly subject: QuestionSubject;
  readonly outside: readonly string[];
  readonly hunks: readonly ChangedFile[];
  /** All changed files as JSON, where `hunks` has only the beginning. */
  readonly allHunks: string | undefined;
}

/** An answer that somebody gives. */
export interface GivenAnswer {
  readonly threadId: string;
  readonly permissionId: string;
  /** One of the agent's options; null denies, also where the agent offered no way to say no. */
  readonly optionId: string | null;
  readonly remember?: RememberScope | undefined;
  /** The rule to remember, `allow MATCH` or MATCH, instead of the narrowest one. */
  readonly rule?: string | undefined;
  /** What the agent is told about a denial. */
  readonly comment?: string | undefined;
  /** Other questions of the thread that get the same answer. */
  readonly also?: readonly string[] | undefined;
  readonly decidedBy?: "person" | "command" | undefined;
}

export interface Answer {
  readonly status: Exclude<PermissionStatus, "pending">;
  /** The agent's own option; null when the agent gets "cancelled". */
  readonly optionId: string | null;
  readonly decidedBy: "person" | "command" | "rule" | "sandbox" | "timeout" | "cancel";
  readonly comment?: string | undefined;
}

/** An answer, and the rule that gave it or that it wrote. */
interface SettledQuestion {
  readonly answer: Answer;
  readonly rule: string | null;
}

export class PermissionBroker {
  readonly #register: Register;
  readonly #rules: RuleStore;
  readonly #open: OpenQuestions<Question, SettledQuestion>;

  /** A question that has no answer after `timeoutMs` is denied. */
  constructor(register: Register, rules: RuleStore, timeoutMs: number) {
    this.#register = register;
    this.#rules = rules;
    this.#open = new OpenQuestions(timeoutMs);
  }

  /** Gives the answer; never rejects. When `signal` aborts, the question is cancelled. */
  async ask(question: Question, signal: AbortSignal): Promise<Answer> {
    const { threadId } = question.subject;
    const id = `permission-${randomUUID()}`;
    const { toolCall, options, subject, facts, refused, more } = question;
    const remembered = suggestRule(subject);
    const verdict = this.#rules.preview(subject);
    this.#record(threadId, {
      type: "permission_requested",
      permission_id: id,
      tool_call: toolCall,
      options,
      ...(more === undefined || Object.keys(more).length === 0 ? {} : { more }),
      rule: verdict.decision === "ask" ? (verdict.rule?.match ?? null) : null,
      rule_if_remembered: remembered?.match ?? null,
      remember_scopes: remembered?.scopes ?? [],
      wider_rules: remembered === undefined ? [] : widerRules(subject),
      subject: facts?.subject ?? null,
      outside: facts?.outside ?? [],
      hunks: facts?.hunks ?? [],
      ...(facts?.allHunks === undefined ? {} : { all_hunks: facts.allHunks }),
    });
    const end = (why: "timeout" | "cancel") => ({
      answer: why === "timeout" ? denial(options, why) : withdrawn(why),
      rule: null,
    });
    const record = ({ answer, rule }: SettledQuestion) => {
      const { status, optionId: option_id, decidedBy: decided_by, comment = null } = answer;
      const decision = { permission_id: id, status, option_id, decided_by, rule, comment };
      this.#record(threadId, { type: "permission_decided", ...decision });
    };
    const settled = this.#open.add({ id, threadId, question, end, record }, signal);
    const open = this.#open.find(id);
    if (open !== undefined && refused !== undefined) {
      open.settle({ answer: { ...denial(options, "sandbox"), comment: refused }, rule: null });
    } else if (open !== undefined) this.#settleByRule(open);
    return (await settled).answer;
  }

  /** What the rules say, without asking anybody. */
  preview(subject: Subject): Verdict {
    return this.#rules.preview(subject);
  }

  /** The same for a command that runs in the sandbox, without the network. */
  previewSandboxed(subject: Subject): Verdict {
    return this.#rules.previewSandboxed(subject);
  }

  /** The paths that the rules close to this command. */
  listClosures(subject: Subject): readonly PathClosure[] {
    return this.#rules.listClosures(subject);
  }

  isOpen(permissionId: string): boolean {
    return this.#open.find(permissionId) !== undefined;
  }

  /** The client withdrew from the question without a yes or a no: the agent gets "cancelled". Throws when it is not open any more. */
  cancel(threadId: string, permissionId: string): void {
    const { settle } = this.#open.get(threadId, permissionId);
    settle({ answer: withdrawn("person"), rule: null });
  }

  /** Gives an answer. Throws, and answers nothing, when the question is not open any more or the answer does not fit it. */
  respond(given: GivenAnswer): void {
    const { threadId, permissionId, optionId, comment, also = [], decidedBy = "person" } = given;
    const { question, settle } = this.#open.get(threadId, permissionId);
    const option = optionId === null ? null : chosenOption(question.options, optionId);
    const isAllowed = option?.kind.startsWith("allow") === true;
    if (comment !== undefined && isAllowed)
      throw new HostError("bad_request", "A comment goes with a denial: the agent gets it as the reason.");
    const rule = option === null ? null : this.#remember(question, option, given);
    const answer = { status: isAllowed ? "allowed" : "denied", decidedBy } as const;
    // What Signalbox remembers the agent must not remember too: then only the rule that a person can see and remove decides.
    const isKeptAsRule = given.remember !== undefined && given.remember !== "once";
    const optionOnce = isKeptAsRule || option === null ? findOnceOption(question.options, isAllowed) : undefined;
    settle({ answer: { ...answer, optionId: optionOnce ?? optionId, comment }, rule });
    for (const id of also) this.#answerAlso(threadId, id, answer);
    if (rule !== null) this.settleByRules();
  }

  /** A question that was answered meanwhile, on another screen, keeps its answer. */
  #answerAlso(threadId: string, permissionId: string, answer: Pick<Answer, "status" | "decidedBy">): void {
    const open = this.#open.find(permissionId);
    if (open?.threadId !== threadId) return;
    const { question, settle } = open;
    const isAllowed = answer.status === "allowed";
    const optionId = findOnceOption(question.options, isAllowed);
    // Without an option for this once, a yes would be more than was meant.
    if (optionId !== undefined || !isAllowed) settle({ answer: { ...answer, optionId: optionId ?? null }, rule: null });
  }

  /** The turn of a thread ended: answers that were remembered for it are forgotten. */
  endTurn(threadId: string): void {
    this.#rules.forgetTurn(threadId);
  }

  /** Answers waiting questions by the rules, after the rules have changed. */
  settleByRules(): void {
    for (const open of this.#open.all()) this.#settleByRule(open);
  }

  /** Gives the text of the rule that was written; null where none was. Throws when the answer cannot be remembered as asked. */
  #remember({ subject }: Question, option: PermissionOption, given: GivenAnswer): string | null {
    const isAllowed = option.kind.startsWith("allow");
    const decision = isAllowed ? "allow" : "deny";
    const narrow = suggestRule(subject);
    const { rule, remember = rule === undefined ? "once" : "thread" } = given;
    if (remember === "once") {
      // The agent's own "always" ends with its process: in this thread it must not be asked again.
      // A change of mode is for the agent to remember.
      if (!option.kind.endsWith("_always") || narrow === undefined || subject.kind === "switch_mode") return null;
      // The person saw the option's name, so where that names a pattern, the pattern is the answer.
      const match = findLabelledRule(option.name, subject) ?? narrow.match;
      return this.#rules.rememberAnswer("thread", subject, { decision, match }).match;
    }
    if (rule !== undefined)
      return this.#rules.rememberAnswer(remember, subject, chosenRule(rule, decision, subject)).match;
    if (narrow === undefined || !narrow.scopes.includes(remember)) {
      const why =
        narrow === undefined ? "No rule could name this and nothing else" : "The rule would allow a whole kind";
      throw new HostError("bad_request", `${why}, so this answer cannot be remembered that far.`);
    }
    return this.#rules.rememberAnswer(remember, subject, { decision, match: narrow.match }).match;
  }

  #settleByRule({ question, settle }: OpenQuestion<Question, SettledQuestion>): void {
    if (question.wasRefused === true && this.#rules.preview(question.subject).decision === "allow") return;
    const verdict = this.#rules.decide(question.subject);
    const answer = makeAnswer(verdict, question.options);
    if (answer !== undefined) settle({ answer, rule: verdict.rule?.match ?? null });
  }

  #record(threadId: string, fact: Fact): void {
    this.#register.append(threadId, { type: "fact", fact });
  }
}

/** Throws when the agent did not offer it. */
function chosenOption(options: readonly PermissionOption[], optionId: string): PermissionOption {
  const option = options.find((candidate) => candidate.optionId === optionId);
  if (option !== undefined) return option;
  const offered = options.map((candidate) => candidate.optionId).join(", ");
  throw new HostError("bad_request", `The agent offered no option ${optionId}. It offered ${offered}.`);
}

/** Undefined where a person has to answer. */
function makeAnswer({ decision }: Verdict, options: readonly PermissionOption[]): Answer | undefined {
  if (decision === "ask") return undefined;
  if (decision === "deny") return denial(options, "rule");
  // "Once" before "always": our own rules remember.
  const optionId = pick(options, ["allow_once", "allow_always"]);
  return optionId === undefined ? undefined : { status: "allowed", optionId, decidedBy: "rule" };
}

/** An agent that offered no way to say no gets "cancelled". */
function denial(options: readonly PermissionOption[], decidedBy: "rule" | "sandbox" | "timeout"): Answer {
  const status = decidedBy === "timeout" ? "timed_out" : "denied";
  return { status, optionId: pick(options, ["reject_once", "reject_always"]) ?? null, decidedBy };
}

function withdrawn(decidedBy: "person" | "cancel"): Answer {
  return { status: "cancelled", optionId: null, decidedBy };
}

function findOnceOption(options: readonly PermissionOption[], isAllowed: boolean): string | undefined {
  return pick(options, isAllowed ? ["allow_once"] : ["reject_once", "reject_always"]);
}

/** The rule that a person chose. It must decide about this question as the person did. */
function chosenRule(text: string, decision: "allow" | "deny", subject: Subject): WrittenRule {
  const { decision: named, match } = splitRule(text);
  if (named !== undefined && named !== decision)
    throw new HostError("bad_request", `The answer is ${decision}, but the rule says ${named}.`);
  const terms = parseRule(match);
  if (terms === undefined) throw new HostError("bad_request", ruleProblem(match) ?? "This is no rule.");
  if (decide([{ decision, terms }], subject).decision !== decision)
    throw new HostError("bad_request", `The rule ${match} does not ${decision} what the question is about.`);
  return { decision, match };
}

function pick(options: readonly PermissionOption[], kinds: readonly string[]): string | undefined {
  return kinds
    .map((kind) => options.find((option) => option.kind === kind)?.optionId)
    .find((optionId) => optionId !== undefined);
}
