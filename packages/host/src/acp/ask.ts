// Leave for what an agent does through us: files and commands. Asked only where no rule and no earlier answer of this turn covers it.
import { randomUUID } from "node:crypto";
import { RequestError } from "@agentclientprotocol/sdk";
import type { JsonObject } from "@signalbox/protocol";
import type { Subject } from "../permissions/rule.ts";
import { realSubjectOf } from "./real-paths.ts";
import { type ServedThread, stateUpdate } from "./served-thread.ts";

const options = [
  { optionId: "allow_once", name: "Allow once", kind: "allow_once" },
  { optionId: "reject_once", name: "Deny", kind: "reject_once" },
];

/** Throws when the answer is no. `described` says what would happen, as a tool call would. */
export async function insistOnLeave(thread: ServedThread, described: JsonObject): Promise<void> {
  const subject = realSubjectOf(thread, described);
  if (thread.grants.covers(subject) && !thread.broker.forbids(subject)) return;
  const existing = thread.seen.open().find((call) => isAbout(realSubjectOf(thread, call), subject));
  const toolCallId = typeof existing?.toolCallId === "string" ? existing.toolCallId : `signalbox-${randomUUID()}`;
  const words = existing === undefined ? { ...described, status: "pending" } : ourWords(described);
  const release = thread.seen.hold(toolCallId, words);
  const question = { subject, toolCall: { toolCallId, ...words }, options };
  const answer = await thread.broker.ask(question, thread.turnSignal()).finally(release);
  const isAllowed = answer.status === "allowed";
  if (isAllowed) thread.grants.add(subject);
  // A tool call that we showed only to ask about it ends with the answer; the agent's own calls end by themselves.
  if (existing === undefined) {
    const update = { sessionUpdate: "tool_call_update", toolCallId, status: isAllowed ? "completed" : "failed" };
    stateUpdate(thread, update);
  }
  if (!isAllowed) throw RequestError.invalidRequest({ status: answer.status }, reasons[answer.status]);
}

const reasons = {
  denied: "The user denied this.",
  cancelled: "This was cancelled.",
  timed_out: "Nobody allowed this in time, so it is denied.",
} as const;

/** The question stands at the agent's own call, but says what would really happen: the agent may have called it something else. */
function ourWords({ title, kind, content }: JsonObject): JsonObject {
  return content === undefined ? { title, kind } : { title, kind, content };
}

function isAbout(call: Subject, wanted: Subject): boolean {
  // A call that reads is not about a write, whatever file it names.
  if (call.kind !== wanted.kind && call.kind !== "other") return false;
  if (wanted.command !== null) return call.command === wanted.command;
  return wanted.paths.length > 0 && wanted.paths.every((path) => call.paths.includes(path));
}
