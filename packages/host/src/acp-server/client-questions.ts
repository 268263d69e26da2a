// Puts the open questions of a thread to one client, and takes its answers. The first answer of any client or screen counts; a client whose
// question is settled elsewhere is told with `$/cancel_request`.
import { type AgentContext, methods } from "@agentclientprotocol/sdk";
import {
  type ElicitationRequested,
  isJsonObject,
  type JsonObject,
  type PermissionRequested,
} from "@signalbox/protocol";
import { readComment } from "@signalbox/tool-calls";
import type { AcpServices } from "./acp-services.ts";
import type { ClientUpdates } from "./client-updates.ts";

type PermissionQuestion = Pick<PermissionRequested, "permission_id" | "tool_call" | "options" | "more">;
type ElicitationQuestion = Omit<ElicitationRequested, "type">;

export class ClientQuestions {
  readonly #services: Pick<AcpServices, "broker" | "elicitations">;
  readonly #threadId: string;
  readonly #client: AgentContext;
  readonly #updates: ClientUpdates;
  readonly #open = new Map<string, AbortController>();

  constructor(
    services: Pick<AcpServices, "broker" | "elicitations">,
    threadId: string,
    client: AgentContext,
    updates: ClientUpdates,
  ) {
    this.#services = services;
    this.#threadId = threadId;
    this.#client = client;
    this.#updates = updates;
  }

  permission({ permission_id: permissionId, tool_call, options, more = {} }: PermissionQuestion): void {
    if (!this.#services.broker.isOpen(permissionId)) return;
    // ACP asks about a tool call. The host's questions about none get one of their own.
    const toolCall = tool_call ?? { toolCallId: permissionId, title: "Permission" };
    const { sessionId, toolCallId } = this.#updates.findPlace(toolCall.toolCallId);
    const params = { ...more, sessionId, toolCall: { ...toolCall, toolCallId }, options };
    this.#ask(permissionId, methods.client.session.requestPermission, params, (answer) =>
      this.#answerPermission(permissionId, answer),
    );
  }

  elicitation({ elicitation_id: elicitationId, mode, message, schema, url, tool_call_id }: ElicitationQuestion): void {
    if (!this.#services.elicitations.isOpen(elicitationId)) return;
    const asked = mode === "form" ? { requestedSchema: schema } : { url, elicitationId };
    const about = tool_call_id === null ? { sessionId: this.#threadId } : this.#updates.findPlace(tool_call_id);
    const params = { mode, message, ...asked, ...about };
    this.#ask(elicitationId, methods.client.elicitation.create, params, ({ action, content }) => {
      if (action !== "accept" && action !== "decline" && action !== "cancel") return;
      this.#services.elicitations.respond(
        this.#threadId,
        elicitationId,
        action,
        isJsonObject(content) ? content : undefined,
      );
    });
  }

  /** The question was answered, by whomever, or withdrawn. */
  settled(questionId: string): void {
    this.#open.get(questionId)?.abort();
    this.#open.delete(questionId);
  }

  #ask(questionId: string, method: string, params: JsonObject, onAnswer: (answer: JsonObject) => void): void {
    if (this.#open.has(questionId)) return;
    const settled = new AbortController();
    this.#open.set(questionId, settled);
    const options = { cancellationSignal: settled.signal, stopWaitingOnCancel: true };
    this.#client
      .request(method, params, options)
      .then((answer) => {
        // Before it is given: the client that answered is not told that it was late.
        this.#open.delete(questionId);
        if (isJsonObject(answer)) onAnswer(answer);
      })
      .catch(() => {
        // A client that cannot answer, is gone, was too late or chose what was not offered: the question stays open for the others.
        this.#open.delete(questionId);
      });
  }

  #answerPermission(permissionId: string, { outcome }: JsonObject): void {
    if (!isJsonObject(outcome)) return;
    const { broker } = this.#services;
    if (outcome.outcome === "cancelled") return broker.cancel(this.#threadId, permissionId);
    if (outcome.outcome !== "selected" || typeof outcome.optionId !== "string") return;
    const { optionId } = outcome;
    broker.respond({ threadId: this.#threadId, permissionId, optionId, comment: readComment(outcome) });
  }
}
