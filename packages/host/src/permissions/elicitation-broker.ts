// Questions of agents that want more than yes or no, and their answers: from any screen, the first one counts, checked against the form that the
// agent sent. What nobody answers in time is cancelled.
import { randomUUID } from "node:crypto";
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
import { matchesPattern } from "./bounded-pattern.ts";

export interface ElicitationQuestion {
  readonly threadId: string;
  readonly mode: ElicitationMode;
  readonly message: string;
  readonly schema: Json;
  /** As the agent sent it. */
  readonly url: string | null;
  readonly toolCallId: string | null;
  /** The agent's own name for it, by which it tells that the address was dealt with; null for forms. */
  readonly agentsId: string | null;
}

export interface ElicitationAnswer {
  readonly status: Exclude<ElicitationStatus, "pending">;
  readonly content: JsonObject | null;
}

export type ElicitationAction = "accept" | "decline" | "cancel";

interface Waiting {
  readonly question: ElicitationQuestion;
  readonly settle: (answer: ElicitationAnswer, decidedBy: string, reason: string | null) => void;
}

const statuses = { accept: "accepted", decline: "declined", cancel: "cancelled" } as const;

export class ElicitationBroker {
  readonly #register: Register;
  readonly #timeout: number;
  readonly #waiting = new Map<string, Waiting>();

  /** `timeout` in milliseconds: a question that nobody answers until then is cancelled. */
  constructor(register: Register, timeout: number) {
    this.#register = register;
    this.#timeout = timeout;
  }

  /** Resolves to the answer; never rejects. When `signal` aborts, the question is cancelled. */
  ask(question: ElicitationQuestion, signal: AbortSignal): Promise<ElicitationAnswer> {
    const { threadId, mode, message, schema, toolCallId } = question;
    const elicitation_id = `elicitation-${randomUUID()}`;
    const url = question.url === null ? null : openable(question.url);
    const asked = { elicitation_id, mode, message, schema, url, tool_call_id: toolCallId };
    this.#state(threadId, { type: "elicitation_requested", ...asked });
    return new Promise((resolve) => {
      const onAbort = () => settle(nothing("cancelled"), "cancel", "The turn was cancelled, or the session ended.");
      const settle: Waiting["settle"] = (answer, decided_by, reason) => {
        if (!this.#waiting.delete(elicitation_id)) return;
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        this.#state(threadId, { type: "elicitation_decided", elicitation_id, ...answer, decided_by, reason });
        resolve(answer);
      };
      const onTimeout = () => settle(nothing("cancelled"), "timeout", "Nobody answered in time.");
      const timer = setTimeout(onTimeout, this.#timeout);
      this.#waiting.set(elicitation_id, { question, settle });
      if (signal.aborted) onAbort();
      else if (mode === "url" && url === null) settle(nothing("declined"), "host", refusalOf(question.url ?? ""));
      else signal.addEventListener("abort", onAbort);
    });
  }

  respond(
    threadId: string,
    elicitationId: string,
    action: ElicitationAction,
    content: JsonObject | undefined,
    decidedBy: "person" | "command" = "person",
  ): void {
    const waiting = this.#waiting.get(elicitationId);
    if (waiting === undefined || waiting.question.threadId !== threadId) {
      throw new HostError(
        "conflict",
        "This question is not open any more: somebody answered it, or the agent took it back.",
      );
    }
    const { question, settle } = waiting;
    const isForm = question.mode === "form" && action === "accept";
    if (!isForm && content !== undefined && Object.keys(content).length > 0) {
      throw new HostError("bad_request", "Only a form that is accepted takes content.");
    }
    if (isForm) insistOnFit(question.schema, content ?? {});
    const status = statuses[action];
    const reason = decidedBy === "command" ? "Nobody was there to answer." : null;
    settle({ status, content: isForm ? (content ?? {}) : null }, decidedBy, reason);
  }

  /** The agent says that what an address was for is done: nobody needs to answer that question any more. */
  complete(threadId: string, agentsId: string): void {
    for (const { question, settle } of this.#waiting.values()) {
      if (question.threadId !== threadId || question.agentsId !== agentsId) continue;
      settle({ status: "accepted", content: null }, "agent", "The agent says that this is done.");
    }
  }

  #state(threadId: string, fact: Fact): void {
    this.#register.append(threadId, { type: "fact", fact });
  }
}

function nothing(status: ElicitationAnswer["status"]): ElicitationAnswer {
  return { status, content: null };
}

function insistOnFit(schema: Json, content: JsonObject): void {
  const problems = formProblems(schema, content, matchesPattern);
  if (problems.length === 0) return;
  const words = problems.map(({ field, message }) => `${field}: ${message}`).join(" ");
  throw new HostError("bad_request", `The answer does not fit the form. ${words}`, {
    details: { problems: problems.map((problem) => ({ ...problem })) },
  });
}

/** The address in its plain spelling, which shows a disguised name for what it is; null when a person should not be sent there. */
function openable(address: string): string | null {
  const url = URL.parse(address);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:") ? url.href : null;
}

function refusalOf(address: string): string {
  const shown = address.length > 200 ? `${address.slice(0, 200)}…` : address;
  return `The agent wanted this to be opened: ${shown}. Signalbox opens http and https addresses only.`;
}
