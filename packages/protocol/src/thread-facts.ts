// Two columns of a thread that are objects: how its agent is sandboxed, and how a fork continues its parent.
import { type Column, jsonObject } from "./columns.ts";
import type { JsonObject } from "./json.ts";

/** The sandbox of the commands of a thread's agent. */
export type ThreadSandbox = {
  /** `signalbox`: its commands run in Signalbox's sandbox; `detail` says what does not. `agent`: in a sandbox of its own. `none`: it has your rights. */
  readonly by: "signalbox" | "agent" | "none";
  /** Network access of its commands. Also `on` if it is not known. */
  readonly network: "off" | "on" | "allow-list";
  /** The same for a person: what holds for its commands, and for its own process. */
  readonly detail: string;
};

/** How a fork goes on from its parent. */
export type ThreadFork = {
  /** Only what stands before this in the parent; null: all that was there when it was forked. */
  readonly before_seq: number | null;
  /** `agent`: its session is the agent's own copy. `told`: a new session that is told the conversation. Null until the session is open. */
  readonly by: "agent" | "told" | null;
};

export const threadFork: Column<ThreadFork | null> = {
  ...jsonObject,
  read: (stored) => toThreadFork(jsonObject.read(stored)),
};

export const threadSandbox: Column<ThreadSandbox | null> = {
  ...jsonObject,
  read: (stored) => toThreadSandbox(jsonObject.read(stored)),
};

/** Reads a fork; an unreadable value counts as none. */
function toThreadFork(value: JsonObject | null): ThreadFork | null {
  if (value === null) return null;
  const { before_seq, by } = value;
  return {
    before_seq: typeof before_seq === "number" ? before_seq : null,
    by: by === "agent" || by === "told" ? by : null,
  };
}

function toThreadSandbox(value: JsonObject | null): ThreadSandbox | null {
  if (value === null) return null;
  const { by, network, detail } = value;
  return {
    by: by === "signalbox" || by === "agent" ? by : "none",
    network: network === "off" || network === "allow-list" ? network : "on",
    detail: typeof detail === "string" ? detail : "",
  };
}
