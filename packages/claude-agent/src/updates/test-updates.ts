// A client for tests that keeps the updates it gets, and calls as they stand after all of them.
import type { SessionNotification, SessionUpdate } from "@agentclientprotocol/sdk";

export class KeptUpdates {
  readonly all: SessionUpdate[] = [];

  readonly sessionUpdate = ({ update }: SessionNotification): void => {
    this.all.push(update);
  };

  get calls(): readonly Record<string, unknown>[] {
    const calls = new Map<string, Record<string, unknown>>();
    for (const update of this.all) {
      if (update.sessionUpdate !== "tool_call" && update.sessionUpdate !== "tool_call_update") continue;
      const { sessionUpdate: _, ...fields } = update;
      calls.set(update.toolCallId, { ...calls.get(update.toolCallId), ...fields });
    }
    return [...calls.values()];
  }

  /** In a word each: `text:…`, `thought:…`, `call:NAME`, or the kind of update. */
  get story(): readonly string[] {
    return this.all.flatMap((update) => {
      switch (update.sessionUpdate) {
        case "agent_message_chunk":
        case "agent_thought_chunk":
        case "user_message_chunk": {
          const who = { agent_message_chunk: "text", agent_thought_chunk: "thought", user_message_chunk: "user" };
          return [`${who[update.sessionUpdate]}:${update.content.type === "text" ? update.content.text : ""}`];
        }
        case "tool_call":
          return [`call:${update.name}`];
        case "tool_call_update":
          return [];
        default:
          return [update.sessionUpdate];
      }
    });
  }
}
