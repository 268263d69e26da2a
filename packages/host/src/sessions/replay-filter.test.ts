import { describe, expect, it } from "vitest";
import { ReplayFilter } from "./replay-filter.ts";

const update = (sessionUpdate: string) => ({ sessionId: "s", update: { sessionUpdate } });
const user = update("user_message_chunk");
const agent = update("agent_message_chunk");
const tool = update("tool_call");
const commands = update("available_commands_update");

function through(known: number, updates: readonly object[]): readonly object[] {
  const filter = new ReplayFilter();
  filter.begin(known);
  return updates.filter((params) => filter.isNew(params));
}

describe("an agent's replay of a known thread", () => {
  it("drops what the register has, and keeps updates of the present state", () => {
    expect(through(2, [user, agent, tool, user, agent, commands])).toEqual([commands]);
  });

  it("keeps what another client added after the last known prompt", () => {
    expect(through(1, [user, user, agent, user, tool, agent])).toEqual([user, tool, agent]);
  });

  it("distinguishes successive prompts by their ids", () => {
    const prompt = (messageId: string) => ({ sessionId: "s", update: { ...user.update, messageId } });
    const [one, two, three] = [prompt("1"), prompt("2"), prompt("3")];
    expect(through(2, [one, one, two, agent, three])).toEqual([three]);
  });

  it("keeps everything of a session that is new to the register", () => {
    expect(through(0, [user, agent])).toEqual([user, agent]);
  });

  it("keeps everything when there is no replay", () => {
    const filter = new ReplayFilter();
    filter.begin(5);
    filter.end();
    expect(filter.isNew(agent)).toBe(true);
  });
});
