import type { HostConnection } from "@signalbox/client";
import type { ServerMessage } from "@signalbox/protocol";
import { expect, it } from "vitest";
import { followHostMachine } from "./host-machine-store.ts";

/** A host with agents that the test changes. */
function followed(agents: Record<string, string>) {
  const listeners: ((message: ServerMessage) => void)[] = [];
  let lists = 0;
  const send = (message: object) => {
    for (const listener of listeners) listener(message as ServerMessage);
  };
  const connection = {
    status: "open",
    onStatus: () => {},
    onMessage: (listener: (message: ServerMessage) => void) => listeners.push(listener),
    query: async (name: string) => {
      if (name === "agents.list") lists += 1;
      const rows = name === "agents.list" ? Object.entries(agents).map(([id, label]) => ({ id, label })) : [];
      const answer = { type: "tinyvex.query_result", name, rows };
      await Promise.resolve(); // as over a network
      send(answer);
      return answer;
    },
  };
  const store = followHostMachine(connection as unknown as HostConnection);
  const thread = (agent_id: string) => send({ type: "tinyvex.update", stream: "threads", row: { agent_id } });
  return { agents, connection, thread, labels: () => Object.fromEntries(store.get().labels), lists: () => lists };
}

it("learns the label of an agent that was added later, when a thread of it appears, and asks for none twice", async () => {
  const { agents, thread, labels, lists } = followed({ a: "Agent A" });
  await expect.poll(labels).toEqual({ a: "Agent A" });
  agents.b = "Agent B";
  thread("a");
  expect(lists()).toBe(1);
  thread("b");
  await expect.poll(labels).toEqual({ a: "Agent A", b: "Agent B" });
  thread("b");
  for (let times = 0; times < 2; times += 1) thread("removed since");
  await expect.poll(lists).toBe(3);
});

it("uses what other parts of the page were answered, and keeps the label of an agent that is gone", async () => {
  const { agents, connection, labels } = followed({ a: "Agent A", b: "Agent B" });
  await expect.poll(labels).toEqual({ a: "Agent A", b: "Agent B" });
  delete agents.b;
  agents.a = "New name";
  await connection.query("agents.list");
  expect(labels()).toEqual({ a: "New name", b: "Agent B" });
});
