// This module asks people for more than yes or no, for agents. An answer can come from any screen, the first one counts, and it is checked against
// the form that the agent sent. A question without an answer in time is cancelled.
import { randomUUID } from "node:crypto";
import { createContext, runInContext } from "node:vm";
import {
  type ElicitationMode,
  type ElicitationStatus,
  type Fact,
  formProblems,
  type Json,
  type JsonObject,
} from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";
import { HostError } from "../data/host-error.ts";
import { OpenQuestions } from "./open-questions.ts";

export interface ElicitationQuestion {
  readonly threadId: string;
  readonly mode: ElicitationMode;
  readonly message: string;
  readonly schema: Json;
  /** As the agent sent it. */
  readonly url: string | null;
  readonly toolCallId: string | null;
  /** The agent's own id for it, with which it reports that the address was visited; null for forms. */
  readonly agentsId: string | null;
}

export interface ElicitationAnswer {
  readonly status: Exclude<ElicitationStatus, "pending">;
  readonly content: JsonObject | null;
  /** `person`, `command` (no person is there), `timeout`, `cancel`, `host` or `agent`. */
  readonly decided_by: string;
}

type ElicitationAction = "accept" | "decline" | "cancel";

/** An answer, and why it is none. */
interface SettledElicitation extends ElicitationAnswer {
  readonly reason: string | null;
}

const unanswered = {
  timeout: "There was no answer in time.",
  cancel: "The turn was cancelled, or the session ended.",
};

const statuses = { accept: "accepted", decline: "declined", cancel: "cancelled" } as const;

export class ElicitationBroker {
  readonly #register: Register;
  readonly #open: OpenQuestions<ElicitationQuestion, SettledElicitation>;

  /** A question that has no answer after `timeoutMs` is cancelled. */
  constructor(register: Register, timeoutMs: number) {
    this.#register = register;
    this.#open = new OpenQuestions(timeoutMs);
  }

  /** Gives the answer; never rejects. When `signal` aborts, the question is cancelled. */
  async ask(question: ElicitationQuestion, signal: AbortSignal): Promise<ElicitationAnswer> {
    const { threadId, mode, message, schema, toolCallId } = question;
    const id = `elicitation-${randomUUID()}`;
    const url = question.url === null ? null : openable(question.url);
    const asked = { elicitation_id: id, mode, message, schema, url, tool_call_id: toolCallId };
    this.#record(threadId, { type: "elicitation_requested", ...asked });
    const end = (why: keyof typeof unanswered) => nothing("cancelled", why, unanswered[why]);
    const record = (settled: SettledElicitation) =>
      this.#record(threadId, { type: "elicitation_decided", elicitation_id: id, ...settled });
    const answer = this.#open.add({ id, threadId, question, end, record }, signal);
    if (mode === "url" && url === null)
      this.#open.find(id)?.settle(nothing("declined", "host", describeRefusal(question.url ?? "")));
    const { status, content, decided_by } = await answer;
    return { status, content, decided_by };
  }

  isOpen(elicitationId: string): boolean {
    return this.#open.find(elicitationId) !== undefined;
  }

  respond(
    threadId: string,
    elicitationId: string,
    action: ElicitationAction,
    content: JsonObject | undefined,
    decidedBy: "person" | "command" = "person",
  ): void {
    const { question, settle } = this.#open.get(threadId, elicitationId);
    const isForm = question.mode === "form" && action === "accept";
    if (!isForm && content !== undefined && Object.keys(content).length > 0) {
      throw new HostError("bad_request", "Only a form that is accepted takes content.");
    }
    if (isForm) checkAnswer(question.schema, content ?? {});
    const reason = decidedBy === "command" ? "No screen was there to answer." : null;
    settle({ status: statuses[action], content: isForm ? (content ?? {}) : null, decided_by: decidedBy, reason });
  }

  /** Settles a question about an address after the agent reported that it needs no answer any more. */
  complete(threadId: string, agentsId: string): void {
    for (const { question, settle } of this.#open.all()) {
      if (question.threadId !== threadId || question.agentsId !== agentsId) continue;
      settle(nothing("accepted", "agent", "The agent says that this is done."));
    }
  }

  #record(threadId: string, fact: Fact): void {
    this.#register.append(threadId, { type: "fact", fact });
  }
}

function nothing(status: ElicitationAnswer["status"], decidedBy: string, reason: string): SettledElicitation {
  return { status, content: null, decided_by: decidedBy, reason };
}

/** Throws when the answer does not fit the form. */
function checkAnswer(schema: Json, content: JsonObject): void {
  const patterns = new Patterns();
  const problems = formProblems(schema, content, (pattern, text) => patterns.matches(pattern, text));
  if (problems.length === 0) return;
  const reasons = problems.map(({ field, message }) => `${field}: ${message}`).join(" ");
  throw new HostError("bad_request", `The answer does not fit the form. ${reasons}`, {
    details: { problems: problems.map((problem) => ({ ...problem })) },
  });
}

/** The address in its plain spelling, which reveals a disguised name; null when it is not http or https. */
function openable(address: string): string | null {
  const url = URL.parse(address);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:") ? url.href : null;
}

function describeRefusal(address: string): string {
  const shown = address.length > 200 ? `${address.slice(0, 200)}…` : address;
  return `The agent wanted this to be opened: ${shown}. Signalbox opens http and https addresses only.`;
}

/** For all patterns of one answer: everything else waits meanwhile. A usual pattern takes microseconds. */
const patternsMs = 200;

/** Tries the regular expressions of an agent's form. */
class Patterns {
  /** A timeout interrupts a running search only in a context of its own. */
  readonly #context = createContext({});
  #leftMs = patternsMs;

  /** False when it does not match, or the time is used up; true for what is no pattern, which limits nothing. */
  matches(pattern: string, text: string): boolean {
    const timeout = Math.floor(this.#leftMs);
    if (timeout < 1) return false;
    const start = performance.now();
    try {
      this.#context.expression = new RegExp(pattern, "u");
    } catch {
      return true;
    }
    this.#context.text = text;
    try {
      return runInContext("expression.test(text)", this.#context, { timeout }) === true;
    } catch {
      return false;
    } finally {
      this.#leftMs -= performance.now() - start;
    }
  }
}
