// This module answers what the agent of one thread may ask of the client, and records each answer with how long it took.
import { type ClientApp, methods, RequestError, type RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { isJsonObject, type Json, type JsonObject, messageOf } from "@signalbox/protocol";
import type { Escalation } from "@signalbox/rules";
import { shortenTexts, stageTexts } from "@signalbox/tinyvex";
import { askPermission } from "./ask-permission.ts";
import { ContentAnswers } from "./content-answers.ts";
import { type CommentWays, makeOutcome } from "./deny-comment.ts";
import { elicit, readElicitation } from "./elicit.ts";
import { readTextFile, writeTextFile } from "./files.ts";
import { readPermission } from "./permission-question.ts";
import { resolveSubject } from "./real-paths.ts";
import { findSandboxRefusal } from "./sandbox-refusal.ts";
import { type CommandAgain, Terminals } from "./terminals.ts";
import type { ThreadContext } from "./thread-context.ts";

export class ClientSide {
  readonly #thread: ThreadContext;
  readonly #commentWays: CommentWays;
  readonly #terminals: Terminals;
  readonly #content = new ContentAnswers();

  constructor(thread: ThreadContext, commentWays: CommentWays) {
    this.#thread = thread;
    this.#commentWays = commentWays;
    this.#terminals = new Terminals(thread);
  }

  serve(app: ClientApp): ClientApp {
    const thread = this.#thread;
    const terminals = this.#terminals;
    const { fs, terminal, session, elicitation } = methods.client;
    return (
      app
        .onRequest(session.requestPermission, asSent, ({ params, signal }) =>
          this.#open(session.requestPermission, params, () => this.#permission(params, signal)),
        )
        .onRequest(elicitation.create, asSent, ({ params, signal }) =>
          this.#open(elicitation.create, params, () => this.#elicitation(params, signal)),
        )
        .onNotification(elicitation.complete, ({ params }) =>
          thread.elicitations.complete(thread.place.threadId, params.elicitationId),
        )
        .onRequest(fs.readTextFile, ({ params, requestId }) =>
          this.#recorded(fs.readTextFile, params, () =>
            readTextFile(thread, params, (read) => this.#content.make(requestId, read)),
          ),
        )
        .onRequest(fs.writeTextFile, ({ params }) =>
          // The content is in the diff that was asked about, or on the disk: not a third time in the log.
          this.#recorded(fs.writeTextFile, { path: params.path, length: params.content.length }, () =>
            writeTextFile(thread, params),
          ),
        )
        .onRequest(terminal.create, ({ params }) =>
          this.#recorded(terminal.create, withoutValues(params), () => terminals.create(params)),
        )
        // Polled many times a second by some agents, and what they get is in the register already: only a refusal says something new.
        .onRequest(terminal.output, ({ params, requestId }) => {
          const read = async () => terminals.output(params.terminalId);
          return this.#recorded(terminal.output, params, () => this.#content.make(requestId, read), "refused");
        })
        .onRequest(terminal.waitForExit, ({ params }) =>
          this.#recorded(terminal.waitForExit, params, async () => await terminals.waitForExit(params.terminalId)),
        )
        .onRequest(terminal.kill, ({ params }) =>
          this.#recorded(terminal.kill, params, () => terminals.kill(params.terminalId)),
        )
        .onRequest(terminal.release, ({ params }) =>
          this.#recorded(terminal.release, params, () => terminals.release(params.terminalId)),
        )
        .onRequest("*", ({ method, params }) =>
          this.#recorded(method, params, () => Promise.reject(RequestError.methodNotFound(method))),
        )
    );
  }

  /** The answer to a request was written to the agent. */
  answered(requestId: unknown): void {
    this.#content.written(requestId);
  }

  /** Runs a command of the project's config before the agent works. A failure is on the timeline, and stops nothing. */
  async runConfigured(line: string): Promise<void> {
    await this.#terminals.runConfigured(line).catch((error: unknown) => {
      if (!(error instanceof RequestError)) throw error;
    });
  }

  /** Prepares to run a command of the agent once more, with more rights. Throws a RequestError where it cannot be run. */
  prepareAgain(terminalId: string, escalation: Escalation, variables: readonly string[]): CommandAgain {
    return this.#terminals.prepareAgain(terminalId, escalation, variables);
  }

  /** Ends the commands that run for the agent. It may start others. */
  async stopCommands(): Promise<void> {
    this.#content.refuseWaiting(RequestError.internalError(undefined, "This was cancelled."));
    await this.#terminals.stopAll();
  }

  /** The agent is gone, or will be: ends its commands, and lets it start no others. */
  async end(): Promise<void> {
    this.#terminals.refuseNew();
    await this.stopCommands();
  }

  /** `signal` aborts when the agent takes the question back or is gone. */
  async #elicitation(params: unknown, signal: AbortSignal) {
    const asked = readElicitation(isJsonObject(params) ? this.#named(params, params) : params);
    if (typeof asked !== "string") return await elicit(this.#thread, asked, this.#untilEither(signal));
    return await this.#refuse(methods.client.elicitation.create, params, asked);
  }

  /** A sub-agent asks in its own session, about a call with an id of its own. */
  #named<Fields extends JsonObject>(params: unknown, fields: Fields): Fields {
    return this.#thread.subAgents.named(isJsonObject(params) ? params.sessionId : undefined, fields);
  }

  async #permission(params: unknown, signal: AbortSignal): Promise<RequestPermissionResponse> {
    const read = readPermission(params);
    if (typeof read === "string") return await this.#refuse(methods.client.session.requestPermission, params, read);
    const more = shortenTexts(read.more);
    const { options } = read;
    const asked = { options, toolCall: this.#named(params, read.toolCall), more: isJsonObject(more) ? more : {} };
    // Without options there is nothing that an answer could say.
    if (asked.options.length === 0) return { outcome: { outcome: "cancelled" } };
    const { permissions, sandbox } = this.#thread;
    const known = permissions.toolCalls.describe({ ...read.call, toolCallId: asked.toolCall.toolCallId });
    const subject = resolveSubject(this.#thread, known);
    const until = this.#untilEither(signal);
    const refused = findSandboxRefusal(sandbox, subject);
    const { toolCallId } = asked.toolCall;
    const toolCall = {
      ...(await stageTexts(this.#thread.register, this.#thread.place.threadId, asked.toolCall)),
      toolCallId,
    };
    const answer = await (refused === undefined
      ? askPermission(
          this.#thread,
          { ...asked, toolCall, asked: asked.toolCall, subject, known, isByHost: false },
          until,
        )
      : permissions.broker.ask({ ...asked, toolCall, subject, refused }, until));
    if (answer.status === "allowed") permissions.grant(subject, answer.decidedBy);
    return makeOutcome(this.#commentWays, subject, answer);
  }

  /** Shows a request as open until it is answered. */
  #open<Result>(method: string, params: unknown, work: () => Promise<Result>): Promise<Result> {
    return this.#thread.requests.during("from_agent", method, params, work);
  }

  #refuse(method: string, params: unknown, problem: string): Promise<never> {
    return this.#recorded(method, params, () => Promise.reject(RequestError.invalidParams(undefined, problem)));
  }

  #untilEither(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, this.#thread.permissions.turn.signal]);
  }

  async #recorded<Result>(
    method: string,
    params: unknown,
    work: () => Promise<Result>,
    which: "every" | "refused" = "every",
  ): Promise<Result> {
    const start = performance.now();
    const record = (outcome: "answered" | "refused" | "failed", error?: Json, meta?: JsonObject) => {
      const duration_ms = Math.round(performance.now() - start);
      const answered = {
        type: "agent_request",
        method,
        params: shortenTexts(params as Json),
        outcome,
        duration_ms,
      } as const;
      const fact = meta === undefined ? answered : { ...answered, meta };
      const entry = { type: "fact", fact: error === undefined ? fact : { ...fact, error } } as const;
      this.#thread.register.append(this.#thread.place.threadId, entry);
    };
    try {
      const result = await this.#open(method, params, work);
      if (which === "every") record("answered", undefined, readMeta(result));
      return result;
    } catch (error) {
      if (error instanceof RequestError) record("refused", { code: error.code, message: error.message });
      else record("failed", { message: messageOf(error) });
      throw error;
    }
  }
}

/** Says who served it, where it was not the host. */
function readMeta(result: unknown): JsonObject | undefined {
  return isJsonObject(result) && isJsonObject(result._meta) ? result._meta : undefined;
}

function asSent(params: unknown): unknown {
  return params;
}

/** Values of environment variables may be secrets: only their names are kept. */
function withoutValues({ env, ...params }: { readonly env?: readonly { readonly name: string }[] | null }): object {
  return env === undefined || env === null ? params : { ...params, env: env.map(({ name }) => name) };
}
