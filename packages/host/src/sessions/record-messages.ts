// Records what an agent sends beside its updates: other notifications, and messages that are not read.
import { makeNotice, readUpdate, type UpdateFields } from "@signalbox/protocol";
import { recordUpdate, type ThreadContext } from "../acp/thread-context.ts";
import type { AgentListener } from "../agents/agent-connection.ts";

export function recordMessages(thread: ThreadContext): Omit<AgentListener, "update"> {
  const { register, place } = thread;
  return {
    stage: (update, source) => register.stage(place.threadId, { update, source }),
    notification: (method, params, source) =>
      register.append(place.threadId, { type: "notification", method, params, source }),
    refused: (what, problem, source) => {
      if (source !== undefined) register.append(place.threadId, { type: "update", update: readUpdate(null), source });
      recordUpdate(thread, notReadNotice(what, problem, source !== undefined));
    },
  };
}

/** Says in the thread that a message was not read. */
export function notReadNotice(what: string, problem: string, isInLog: boolean): UpdateFields {
  const where = isInLog ? " The event log has it as a text." : "";
  return makeNotice(`A message of the agent was not read (${what})`, `Reason: ${problem}.${where}`);
}
