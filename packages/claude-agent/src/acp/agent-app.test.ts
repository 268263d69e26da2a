// What a client may ask at the border, with nothing behind it.
import { type AnyMessage, client, methods } from "@agentclientprotocol/sdk";
import { expect, it } from "vitest";
import type { Sessions } from "../sessions/sessions.ts";
import { agentApp } from "./agent-app.ts";

it("opens its sessions once, however often it is initialized, and tries again when it could not", async () => {
  const opened: Sessions[] = [];
  let attempts = 0;
  const app = agentApp({
    version: "1.2.3",
    open: async () => {
      if (++attempts === 1) throw new Error("not installed");
      opened.push({} as Sessions);
      return {} as Sessions;
    },
    checkLogin: async () => {},
  });
  const [there, back] = [new TransformStream<AnyMessage>(), new TransformStream<AnyMessage>()];
  const agent = app.connect({ readable: there.readable, writable: back.writable });
  const connection = client({ name: "test" }).connect({ readable: back.readable, writable: there.writable });
  const initialize = () => connection.agent.request(methods.agent.initialize, { protocolVersion: 1 });
  await expect(initialize()).rejects.toThrow();
  const answers = [...(await Promise.all([initialize(), initialize()])), await initialize()];
  expect(answers.map(({ agentInfo }) => agentInfo?.version)).toEqual(["1.2.3", "1.2.3", "1.2.3"]);
  expect(opened).toHaveLength(1);
  connection.close();
  agent.close();
});
