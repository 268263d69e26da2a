// Requires permission for what the host does for an agent: files, commands and connections. Rules decide about what will happen; a person is asked
// only if no rule and no earlier answer of this turn covers it. The question belongs to an item of the timeline that the host makes.
import { randomUUID } from "node:crypto";
import { RequestError } from "@agentclientprotocol/sdk";
import { hostItemName, hostItemPrefix, type JsonObject, makeToolCall, makeToolCallUpdate } from "@signalbox/protocol";
import type { Subject } from "@signalbox/rules";
import { stageTexts } from "@signalbox/tinyvex";
import type { Answer } from "../permissions/broker.ts";
import { askPermission } from "./ask-permission.ts";
import { describeReason } from "./deny-comment.ts";
import { recordUpdate, type ThreadContext } from "./thread-context.ts";

const options = [
  { optionId: "allow_once", name: "Allow once", kind: "allow_once" },
  { optionId: "reject_once", name: "Deny", kind: "reject_once" },
];

export interface PlannedAction {
  /** Exactly what would happen. */
  readonly subject: Subject;
  /** The same for a person, in the fields of a tool call. */
  readonly description: JsonObject;
  /** It needs no permission unless a rule speaks about it. */
  readonly isFree?: boolean;
  /** It is a command that runs in the sandbox, without the network. */
  readonly isSandboxed?: boolean;
}

/** Throws when the answer is no. A question gets an item of its own, which ends with the answer. */
export async function requirePermission(thread: ThreadContext, action: PlannedAction): Promise<void> {
  if (isAllowedAlready(thread, action)) return;
  const item = new HostItem(thread, { ...action.description, status: "pending" });
  const answer = await item.ask(action.subject);
  thread.permissions.grant(action.subject, answer.decidedBy);
  item.update({ status: "completed" });
}

/** Whether it is decided: by default, by the sandbox, or by an answer of this turn. An answer about a command is used up by this. */
export function isAllowedAlready(
  { permissions }: Pick<ThreadContext, "permissions">,
  { subject, isFree = false, isSandboxed = false }: PlannedAction,
): boolean {
  // An earlier yes does not cover something that was refused in this turn.
  if (permissions.refusals.covers(subject)) return permissions.takeGrant(subject);
  if (isSandboxed && permissions.broker.previewSandboxed(subject).decision === "allow") return true;
  const { decision, rule } = permissions.broker.preview(subject);
  if (isFree && (rule === undefined || decision === "allow")) return true;
  return permissions.takeGrant(subject);
}

const withoutEscalation = "Without `escalate` it can be run inside the sandbox.";

/** Something that the host does for the agent, as a call of the timeline in the host's words. */
export class HostItem {
  readonly #thread: ThreadContext;
  readonly #description: JsonObject;
  readonly #toolCallId = `${hostItemPrefix}${randomUUID()}`;
  #staged: Promise<JsonObject> | null = null;

  constructor(thread: ThreadContext, description: JsonObject) {
    this.#thread = thread;
    this.#description = description;
  }

  /** Shows it before anything is asked. A question shows it too. */
  async announce(): Promise<void> {
    const call = { ...(await this.#stageDescription()), toolCallId: this.#toolCallId, name: hostItemName };
    recordUpdate(this.#thread, makeToolCall(call));
  }

  /** Gives the answer if it is yes. Throws when it is no, and the item has failed with the reason. */
  async ask(subject: Subject): Promise<Answer> {
    const toolCallId = this.#toolCallId;
    const staged = await this.#stageDescription();
    const known = { toolCallId, ...this.#description };
    const request = { subject, toolCall: { toolCallId, ...staged }, known, asked: known, options, isByHost: true };
    const answer = await askPermission(this.#thread, request, this.#thread.permissions.turn.signal);
    if (answer.status === "allowed") return answer;
    const reason = [describeReason(answer), ...(subject.escalation === undefined ? [] : [withoutEscalation])].join(" ");
    await this.fail(reason);
    throw RequestError.invalidRequest({ status: answer.status }, reason);
  }

  update(fields: JsonObject): void {
    recordUpdate(this.#thread, makeToolCallUpdate({ ...fields, toolCallId: this.#toolCallId }));
  }

  /** Ends it with the reason, below what it showed. */
  async fail(reason: string): Promise<void> {
    const { content } = await this.#stageDescription();
    const text = { type: "content", content: { type: "text", text: reason } };
    this.update({ status: "failed", content: [...(Array.isArray(content) ? content : []), text] });
  }

  /** Long texts are stored once, in slices, before an entry names them. */
  #stageDescription(): Promise<JsonObject> {
    const { register, place } = this.#thread;
    this.#staged ??= stageTexts(register, place.threadId, this.#description);
    return this.#staged;
  }
}
