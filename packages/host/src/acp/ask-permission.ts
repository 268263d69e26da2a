// Asks for a permission. What a rule decides is decided immediately; for a person the question is described first.
import type { JsonObject, PermissionOption } from "@signalbox/protocol";
import type { Subject } from "@signalbox/rules";
import type { Answer } from "../permissions/broker.ts";
import { describeQuestion } from "./describe-question.ts";
import type { ThreadContext } from "./thread-context.ts";

interface PermissionRequest {
  readonly subject: Subject;
  /** What is recorded of the call; its long texts may be stored already. */
  readonly toolCall: { readonly toolCallId: string } & JsonObject;
  /** The call as the question has it. */
  readonly asked: JsonObject;
  /** The call with what was announced before. */
  readonly known: JsonObject;
  readonly options: readonly PermissionOption[];
  /** What else the agent's request has. */
  readonly more?: JsonObject | undefined;
  /** The host itself will do it. */
  readonly isByHost: boolean;
}

/** When `signal` aborts, the question is cancelled. Rejects, and allows nothing, when the question cannot be described. */
export async function askPermission(
  thread: ThreadContext,
  asked: PermissionRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const { subject, toolCall, options, more } = asked;
  const wasRefused = thread.permissions.refusals.covers(subject);
  const { decision } = thread.permissions.broker.preview(subject);
  if (decision === "deny" || (decision === "allow" && !wasRefused))
    return await thread.permissions.broker.ask({ subject, toolCall, options, more }, signal);
  const { answer } = await thread.permissions.history.inOrder(async () => {
    const facts = await describeQuestion(thread, asked);
    // Not awaited: the next question does not wait for the answer to this one.
    return { answer: thread.permissions.broker.ask({ subject, toolCall, options, facts, more, wasRefused }, signal) };
  });
  const given = await answer;
  thread.permissions.recordAnswer(subject, given.status === "allowed");
  return given;
}
