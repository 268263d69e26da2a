// Passes the questions of one MCP server on to the person, and bounds them: only while a call waits for the server, one at a time, and not
// without end.

import {
  cleanLine,
  cleanText,
  type Elicitations,
  passElicitation,
  type ServerQuestion,
  ToolFailure,
} from "@signalbox/agent-kit";
import { SerialQueue } from "@signalbox/base";

/** Who waits for an answer of a server. A tool's context is one. */
export interface Caller {
  readonly signal: AbortSignal;
  readonly toolCallId?: string;
  /** Waits for a person: the time of the call does not count meanwhile. */
  readonly paused?: <T>(work: () => Promise<T>) => Promise<T>;
  readonly onProgress?: (progress: number, total?: number, message?: string) => void;
}

interface QuestionsOptions {
  readonly server: string;
  readonly sessionId: string;
  /** Undefined where the client shows neither forms nor pages. */
  readonly elicitations: Elicitations | undefined;
}

interface WaitingCall {
  readonly caller: Caller;
  questions: number;
}

type Answer = Awaited<ReturnType<typeof passElicitation>>;

/** For one call. A form with several steps needs a few. */
const maxQuestions = 10;
const maxMessageLength = 2000;
const maxSchemaLength = 50_000;
const maxNameLength = 60;

export class ServerQuestions {
  readonly #options: QuestionsOptions;
  readonly #calls: WaitingCall[] = [];
  readonly #queue = new SerialQueue();

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /** The kinds of questions that the client can show, as announced to the server; undefined for none. */
  get abilities(): { form?: Record<string, never>; url?: Record<string, never> } | undefined {
    const { elicitations } = this.#options;
    if (elicitations === undefined) return undefined;
    return { ...(elicitations.form && { form: {} }), ...(elicitations.url && { url: {} }) };
  }

  /** Runs `work`, a request to the server. Questions of the server are about this call until it has ended. */
  async during<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
    const call = { caller, questions: 0 };
    this.#calls.push(call);
    try {
      return await work();
    } finally {
      this.#calls.splice(this.#calls.indexOf(call), 1);
    }
  }

  /** Never rejects. A question that nothing asked for is declined: it would come out of the blue, at any time, from any server. */
  async ask(question: ServerQuestion, signal: AbortSignal): Promise<Answer> {
    const call = this.#calls.at(-1);
    const { elicitations } = this.#options;
    if (call === undefined || elicitations === undefined || ++call.questions > maxQuestions)
      return { action: "decline" };
    if (JSON.stringify(question.requestedSchema ?? {}).length > maxSchemaLength) return { action: "decline" };
    return await this.#queue.run(() => this.#pass(question, call.caller, elicitations, signal));
  }

  /** Pages that a person has to open before the server does what it was asked for. Throws a ToolFailure unless they do. */
  async askAddresses(addresses: readonly ServerQuestion[], signal: AbortSignal): Promise<void> {
    for (const question of addresses.slice(0, maxQuestions)) {
      const { action } = await this.ask({ ...question, mode: "url" }, signal);
      if (action !== "accept")
        throw new ToolFailure(`${this.#options.server} wants the user to open a page first, and they did not.`);
    }
  }

  /** The server says that an address needs no answer any more. */
  complete(elicitationId: string): void {
    this.#options.elicitations?.complete?.(this.#mapId(elicitationId));
  }

  async #pass(question: ServerQuestion, caller: Caller, elicitations: Elicitations, asked: AbortSignal) {
    const { server, sessionId } = this.#options;
    const { toolCallId, paused = (work) => work() } = caller;
    const signal = AbortSignal.any([asked, caller.signal]);
    if (signal.aborted) return { action: "cancel" as const };
    const words = cleanText(question.message, maxMessageLength);
    const passed = {
      ...question,
      message: `The MCP server ${cleanLine(server, maxNameLength)} asks: ${words}`,
      ...(question.elicitationId !== undefined && { elicitationId: this.#mapId(question.elicitationId) }),
    };
    const scope = { sessionId, ...(toolCallId !== undefined && { toolCallId }) };
    return await paused(() => passElicitation(elicitations, scope, passed, signal));
  }

  /** Two servers may use the same id. */
  #mapId(elicitationId: string): string {
    return `${this.#options.server}:${elicitationId}`;
  }
}
