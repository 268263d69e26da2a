import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { ClientMessage, ThreadView, TimelineItem } from "@signalbox/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { messageRow, threadRow, threadSnapshot } from "../../../../test/support/rows.ts";
import { HostError } from "../data/host-error.ts";
import { HostClient } from "./host-client.ts";

let server: Server;
let client: HostClient;
let host: WebSocket;
/** The client's messages, in order. */
let received: ClientMessage[];
let onMessage: (message: ClientMessage) => void;

beforeEach(async () => {
  received = [];
  onMessage = () => {};
  server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const sockets = new WebSocketServer({ server, handleProtocols: () => "signalbox.v1" });
  const connected = once(sockets, "connection") as Promise<[WebSocket]>;
  client = await HostClient.connect(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), "token");
  [host] = await connected;
  host.on("message", (data: Buffer) => {
    const message = JSON.parse(data.toString("utf8")) as ClientMessage;
    received.push(message);
    onMessage(message);
  });
});

afterEach(async () => {
  await client.close();
  server.close();
});

const send = (message: object) => host.send(JSON.stringify(message));
const snapshot = (request_id: unknown, seq: number, newer_only: boolean, timeline: readonly TimelineItem[]) => ({
  type: "tinyvex.snapshot",
  request_id,
  stream: "thread",
  thread_id: "t1",
  ...threadSnapshot({ thread: threadRow({ id: "t1", status: "running" }), timeline, newer_only, seq }),
});
const text = (seq: number, text_offset: number, text_delta: string) => ({
  type: "tinyvex.update",
  stream: "messages",
  thread_id: "t1",
  item_id: "m2",
  item_seq: 2,
  role: "assistant",
  kind: "message",
  ts: 0,
  seq,
  text_offset,
  text_delta,
});
const message = (whole: string, last_seq: number) =>
  ({ type: "message", ...messageRow({ thread_id: "t1", item_id: "m2", seq: 2, last_seq, text: whole }) }) as const;
const textIn = (view: ThreadView | null) => view?.timeline.map((item) => (item.type === "message" ? item.text : ""));

describe("a client of a running host", () => {
  it("gets each answer for its own request, in any order", async () => {
    onMessage = () => {
      if (received.length === 2)
        for (const { id } of received.toReversed()) send({ type: "tinyvex.pong", request_id: id });
    };
    const answers = await Promise.all([1, 2].map(() => client.request({ control: "tvx.ping" })));
    expect(answers.map((answer) => "request_id" in answer && answer.request_id)).toEqual(received.map(({ id }) => id));
  });

  it("throws the host's errors, with their code", async () => {
    onMessage = ({ id }) => send({ type: "tinyvex.error", request_id: id, code: "conflict", message: "Not now." });
    const refused = client.request({ control: "tvx.ping" });
    await expect(refused).rejects.toThrow(new HostError("conflict", "Not now."));
    await expect(refused).rejects.toMatchObject({ code: "conflict" });
  });

  it("follows a thread, and subscribes again from the last known seq when a change is missing", async () => {
    let view: ThreadView | null = null;
    const seen = Promise.withResolvers<void>();
    onMessage = (asked) => {
      if (asked.control !== "tvx.subscribe") return;
      if (asked.after_seq === undefined) {
        send(snapshot(asked.id, 1, false, []));
        send(text(2, 0, "one "));
        // A change between these two is missing.
        send(text(4, 8, "three"));
      } else send(snapshot(asked.id, 4, true, [message("one two three", 4)]));
    };
    await client.follow("t1", (current) => {
      view = current;
      if (!current.gap && current.seq === 4) seen.resolve();
    });
    await seen.promise;
    expect(textIn(view)).toEqual(["one two three"]);
    expect(received).toMatchObject([
      { control: "tvx.subscribe", thread_id: "t1" },
      { control: "tvx.subscribe", thread_id: "t1", after_seq: 2 },
    ]);
  });

  it("rejects open and later requests when the host goes away", async () => {
    const waiting = client.request({ control: "tvx.ping" });
    host.terminate();
    await expect(waiting).rejects.toMatchObject({ code: "unavailable" });
    await expect(client.lost).rejects.toMatchObject({ code: "unavailable" });
    await expect(client.request({ control: "tvx.ping" })).rejects.toMatchObject({ code: "unavailable" });
  });
});
