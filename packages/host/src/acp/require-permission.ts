// This module requires permission for what an agent does through the host: files and commands. It asks only where no rule and no earlier answer
// of this turn covers it.
import { randomUUID } from "node:crypto";
import { RequestError } from "@agentclientprotocol/sdk";
import { isJsonObject, type JsonObject, makeToolCallUpdate, type UpdateFields } from "@signalbox/protocol";
import { lineInShell, listTargets, readCallCommand, readToolName, type Subject } from "@signalbox/rules";
import { stageTexts } from "@signalbox/tinyvex";
import { askPermission } from "./ask-permission.ts";
import { reasonOf } from "./deny-comment.ts";
import { realPath } from "./real-paths.ts";
import { recordUpdate, type ServedThread } from "./served-thread.ts";

const options = [
  { optionId: "allow_once", name: "Allow once", kind: "allow_once" },
  { optionId: "reject_once", name: "Deny", kind: "reject_once" },
];

interface Wanted {
  /** What would happen, exactly. */
  readonly subject: Subject;
  /** The same for a person, as a tool call would say it. */
  readonly shown: JsonObject;
  /** It needs no permission unless a rule speaks about it. */
  readonly isFree?: boolean;
  /** It is a command that the sandbox holds, without the network. */
  readonly isEnclosed?: boolean;
  /** The host's own call stays open after a yes: the caller ends it. */
  readonly staysOpen?: boolean;
}

/** The call at which a person sees what was permitted; null where nothing was asked and the agent has no call about it. */
export interface ShownAt {
  readonly toolCallId: string;
  /** The host made it, to ask. */
  readonly isOurs: boolean;
}

/** Throws when the answer is no. */
export async function requirePermission(thread: ServedThread, wanted: Wanted): Promise<ShownAt | null> {
  const named = openCallAbout(thread, wanted.subject);
  // The agent's own call about exactly this, of the same kind, has the name that rules about tools mean.
  const isSameKind = named?.kind === wanted.subject.kind;
  const subject = isSameKind ? { ...wanted.subject, tool: readToolName(named) } : wanted.subject;
  const existing = named ?? onlyUnnamedCall(thread, wanted.subject);
  const { shown } = wanted;
  const existingId = typeof existing?.toolCallId === "string" ? existing.toolCallId : null;
  if (isCovered(thread, { ...wanted, subject })) {
    return existingId === null ? null : { toolCallId: existingId, isOurs: false };
  }
  const toolCallId = existingId ?? `signalbox-${randomUUID()}`;
  const whole = existing === undefined ? { ...shown, status: "pending" } : ourDescription(shown);
  const description = await stageTexts(thread.register, thread.place.threadId, whole);
  const release = thread.seen.hold(toolCallId, description);
  const known = { toolCallId, ...whole };
  const asked = { subject, toolCall: { toolCallId, ...description }, known, asked: known, options, isOurs: true };
  const answer = await askPermission(thread, asked, thread.turnSignal()).finally(release);
  const isAllowed = answer.status === "allowed";
  if (isAllowed) thread.grants.add(subject, answer.decidedBy === "rule" ? "rule" : "person");
  // A tool call that was shown only to ask about it ends with the answer. The agent's own calls end by themselves.
  if (existing === undefined && isAllowed && wanted.staysOpen !== true) {
    recordUpdate(thread, makeToolCallUpdate({ toolCallId, status: "completed" }));
  }
  if (answer.status !== "allowed") {
    const reason = [reasonOf(answer), ...(subject.escalation === undefined ? [] : [withoutEscalation])].join(" ");
    if (existing === undefined) recordUpdate(thread, failedWith(toolCallId, description, reason));
    throw RequestError.invalidRequest({ status: answer.status }, reason);
  }
  return { toolCallId, isOurs: existing === undefined };
}

/** Ends a call of the host with the reason, below what it showed. */
function failedWith(toolCallId: string, { content }: JsonObject, reason: string): UpdateFields {
  const text = { type: "content", content: { type: "text", text: reason } };
  const kept = Array.isArray(content) ? content : [];
  return makeToolCallUpdate({ toolCallId, status: "failed", content: [...kept, text] });
}

/** Whether it was decided already: by default, by an answer of this turn, or by a rule that answered a question about it in this turn. */
function isCovered({ broker, grants }: ServedThread, { subject, isFree = false, isEnclosed = false }: Wanted): boolean {
  if (isEnclosed && broker.previewEnclosed(subject).decision === "allow") return true;
  const { decision, rule } = broker.preview(subject);
  if (isFree && (rule === undefined || decision === "allow")) return true;
  const granted = grants.covers(subject);
  return granted === "person" ? decision !== "deny" : granted === "rule" && decision === "allow";
}

const withoutEscalation = "Without `escalate` it can be run inside the sandbox.";

/** The question is shown at the agent's own call, but says what would happen: the agent may have described it differently. */
function ourDescription({ title, kind, content }: JsonObject): JsonObject {
  return content === undefined ? { title, kind } : { title, kind, content };
}

/** The newest calls are enough. */
const maxCalls = 20;
/** Following a link costs looks at the disk, for every file that is read: so many in all calls together. */
const maxFollowed = 100;

/** The agent's own call that is about this. A call that reads is not about a write, whatever file it names. */
function openCallAbout(thread: ServedThread, wanted: Subject): JsonObject | undefined {
  const calls = thread.seen
    .open()
    .filter(({ kind = "other" }) => kind === wanted.kind || kind === "other")
    .slice(0, maxCalls);
  if (wanted.command !== undefined) {
    const line = lineInShell(wanted.command);
    return calls.find((call) => {
      const { command } = readCallCommand(call);
      return command !== undefined && lineInShell(command) === line;
    });
  }
  let left = maxFollowed;
  return calls.find((call) => {
    const targets = listTargets(call).slice(0, left);
    left -= targets.length;
    const real = new Set(targets.map((path) => realPath(thread, path)));
    return wanted.targets.length > 0 && wanted.targets.every((path) => real.has(path));
  });
}

/**
 * The agent's open call that runs a command and does not say which, where there is only one: the command belongs to it. Of several, the one that
 * has begun: a call that is pending has started nothing. This decides only where the command is shown.
 */
function onlyUnnamedCall(thread: ServedThread, wanted: Subject): JsonObject | undefined {
  if (wanted.command === undefined) return undefined;
  const open = thread.seen.open().slice(0, maxCalls);
  const unnamed = open.filter((call) => isUnnamed(call) && !readCallCommand(call).isCommandExact);
  const commands = unnamed.filter(({ kind }) => kind === "execute");
  const possible = commands.length > 0 ? commands : unnamed;
  const begun = possible.filter(({ status }) => status === "in_progress");
  const [only, ...others] = begun.length > 0 ? begun : possible;
  return others.length === 0 ? only : undefined;
}

/** An input that has anything in it is about that. */
function isUnnamed({ kind = "other", rawInput, locations, content }: JsonObject): boolean {
  const hasInput = isJsonObject(rawInput)
    ? Object.keys(rawInput).length > 0
    : rawInput !== undefined && rawInput !== null;
  const namesPaths = [locations, content].some((list) => Array.isArray(list) && list.length > 0);
  return kind === "execute" || (kind === "other" && !hasInput && !namesPaths);
}
