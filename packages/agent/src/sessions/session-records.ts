// Defines the records of a session's file: what was shown, what the model got, and what was set. Records are only appended.
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { ProjectOrigin } from "@signalbox/agent-kit";
import { hasEnded, mergeToolCall } from "@signalbox/tool-calls";
import * as z from "zod";
import type { UsageTotals } from "../loop/usage.ts";
import type { ModelMessage, Thinking } from "../providers/model.ts";

export type SessionRecord =
  | SessionHead
  /** An update that the client was shown, and is shown again when the session is loaded. */
  | { readonly type: "update"; readonly update: SessionUpdate }
  /** A prompt begins that the client has an id for: the session can be forked before it. */
  | { readonly type: "prompt"; readonly id: string }
  | { readonly type: "message"; readonly message: ModelMessage }
  /** All messages before are void: the history was compacted, cleared or taken back. */
  | { readonly type: "history"; readonly messages: readonly ModelMessage[] }
  | { readonly type: "state"; readonly state: SessionStatePatch };

export interface SessionHead {
  readonly type: "session";
  readonly version: 1;
  readonly id: string;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly createdAt: string;
}

export interface SessionState {
  readonly title: string | null;
  readonly mode: string | null;
  readonly model: string | null;
  readonly thinking: Thinking | null;
  readonly additionalDirectories: readonly string[] | null;
  readonly usage: StoredUsage | null;
  /** The files that instructed the session when it began; null until its first prompt. */
  readonly instructions: ProjectOrigin | null;
}

export type SessionStatePatch = Partial<SessionState>;

export interface StoredUsage extends UsageTotals {
  /** Tokens in the context at the last request. */
  readonly context: number;
}

/** A session as its file tells it. */
export interface StoredSession {
  readonly head: SessionHead;
  readonly state: SessionState;
  readonly messages: readonly ModelMessage[];
  readonly updates: readonly SessionUpdate[];
}

/** Only what decides how a line is used is checked: the rest is what we wrote ourselves. */
const recordSchema = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("session"), version: z.literal(1), id: z.string(), cwd: z.string() }),
  z.looseObject({ type: z.literal("prompt"), id: z.string() }),
  z.looseObject({ type: z.literal("update"), update: z.looseObject({ sessionUpdate: z.string() }) }),
  z.looseObject({
    type: z.literal("message"),
    message: z.looseObject({ role: z.enum(["user", "assistant", "tool"]) }),
  }),
  z.looseObject({ type: z.literal("history"), messages: z.array(z.looseObject({ role: z.string() })) }),
  z.looseObject({ type: z.literal("state"), state: z.looseObject({}) }),
]);

/** Undefined for a line that is torn or not ours. */
export function parseRecord(line: string): SessionRecord | undefined {
  try {
    const checked = recordSchema.safeParse(JSON.parse(line));
    return checked.success ? (checked.data as unknown as SessionRecord) : undefined;
  } catch {
    return undefined;
  }
}

export const emptyState: SessionState = {
  title: null,
  mode: null,
  model: null,
  thinking: null,
  additionalDirectories: null,
  usage: null,
  instructions: null,
};

/** The session as it was before a prompt, with what was set since; undefined when it has no such prompt. */
export function truncateRecords(
  records: readonly SessionRecord[],
  promptId: string,
): readonly SessionRecord[] | undefined {
  const end = records.findIndex((record) => record.type === "prompt" && record.id === promptId);
  return end < 0 ? undefined : records.filter(({ type }, index) => index < end || type === "state");
}

/** Undefined when the first line does not say whose session this is. */
export function foldRecords(records: readonly SessionRecord[]): StoredSession | undefined {
  const [head, ...rest] = records;
  if (head?.type !== "session") return undefined;
  let state = emptyState;
  let messages: ModelMessage[] = [];
  const updates: SessionUpdate[] = [];
  for (const record of rest) {
    switch (record.type) {
      case "session":
      case "prompt":
        break;
      case "update":
        updates.push(record.update);
        break;
      case "message":
        messages.push(record.message);
        break;
      case "history":
        messages = [...record.messages];
        break;
      case "state":
        state = { ...state, ...record.state };
        break;
    }
  }
  return { head, state, messages, updates: foldUpdates(updates) };
}

/** Each tool call once, where it began and as it ended; of plans only the last. What never ended did so with the process. */
export function foldUpdates(updates: readonly SessionUpdate[]): readonly SessionUpdate[] {
  /** Where each call stands in the result. */
  const places = new Map<string, number>();
  const lastPlan = updates.findLastIndex(({ sessionUpdate }) => sessionUpdate === "plan");
  const folded: SessionUpdate[] = [];
  for (const [index, update] of updates.entries()) {
    switch (update.sessionUpdate) {
      case "tool_call":
        places.set(update.toolCallId, folded.push(update) - 1);
        break;
      case "tool_call_update": {
        const place = places.get(update.toolCallId);
        const call = place === undefined ? undefined : folded[place];
        if (place !== undefined && call?.sessionUpdate === "tool_call") folded[place] = mergeToolCall(call, update);
        break;
      }
      case "plan":
        if (index === lastPlan) folded.push(update);
        break;
      default:
        folded.push(update);
    }
  }
  return folded.map((update) =>
    update.sessionUpdate === "tool_call" && !hasEnded(update.status) ? { ...update, status: "failed" } : update,
  );
}
