import { type JsonObject, readUpdate, type Update } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { ReplayFilter } from "./replay-filter.ts";

const update = (fields: JsonObject) => readUpdate({ sessionId: "s", update: fields });
const content = { type: "text", text: "words" };
const prompt = (messageId: string | null) => update({ sessionUpdate: "user_message_chunk", content, messageId });
const user = prompt(null);
const agent = update({ sessionUpdate: "agent_message_chunk", content });
const tool = update({ sessionUpdate: "tool_call", toolCallId: "t" });
const commands = update({ sessionUpdate: "available_commands_update", availableCommands: [] });

function through(known: number, updates: readonly Update[]): readonly Update[] {
  const filter = new ReplayFilter(known);
  return updates.filter((each) => filter.isNew(each));
}

describe("an agent's replay of a known thread", () => {
  it("drops what the register has, and keeps updates of the present state", () => {
    expect(through(2, [user, agent, tool, user, agent, commands])).toEqual([commands]);
  });

  it("keeps what another client added after the last known prompt", () => {
    expect(through(1, [user, user, agent, user, tool, agent])).toEqual([user, tool, agent]);
  });

  it("distinguishes successive prompts by their ids", () => {
    const [one, two, three] = [prompt("1"), prompt("2"), prompt("3")];
    expect(through(2, [one, one, two, agent, three])).toEqual([three]);
  });

  it("counts a prompt that could not be read, and drops what is malformed like the rest of the history", () => {
    const unread = update({ sessionUpdate: "user_message_chunk" });
    const brokenCall = update({ sessionUpdate: "tool_call" });
    expect(through(1, [unread, brokenCall, agent, user])).toEqual([user]);
    expect(through(1, [readUpdate({ sessionId: "s", update: 3 })])).toHaveLength(1);
  });

  it("keeps everything of a session that is new to the register", () => {
    expect(through(0, [user, agent])).toEqual([user, agent]);
  });
});
