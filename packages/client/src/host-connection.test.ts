import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type ClientMessage, HostError, type ThreadView, type TimelineItem } from "@signalbox/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { messageRow, threadRow, threadSnapshot } from "../../../test/support/rows.ts";
import { HostConnection, OfflineError } from "./host-connection.ts";
import { followThread } from "./thread-follower.ts";

let server: Server;
let client: HostConnection;
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
  client = new HostConnection({
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: "token",
  });
  sockets.on("connection", listen);
  [host] = await connected;
  await client.whenOpen();
});

function listen(socket: WebSocket): void {
  host = socket;
  host.on("message", (data: Buffer) => {
    const message = JSON.parse(data.toString("utf8")) as ClientMessage;
    received.push(message);
    onMessage(message);
  });
}

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
  it("gets the result of each request, in any order, without what belongs to the wire", async () => {
    onMessage = () => {
      if (received.length === 2)
        for (const { id } of received.toReversed())
          send({ type: "tinyvex.ok", request_id: id, redacted: id, threads: 1 });
    };
    const results = await Promise.all([1, 2].map(() => client.request("data.redact", {})));
    expect(results).toEqual(received.map(({ id }) => ({ redacted: id, threads: 1 })));
  });

  it("sends a query by its name and gets a page of rows", async () => {
    onMessage = ({ id }) =>
      send({ type: "tinyvex.query_result", request_id: id, name: "folders.complete", rows: [{ path: "/w" }] });
    expect(await client.query("folders.complete", { prefix: "/" })).toEqual({ rows: [{ path: "/w" }] });
    expect(received).toEqual([{ id: 1, control: "tvx.query", name: "folders.complete", args: { prefix: "/" } }]);
  });

  it("throws the host's errors, with their code and details", async () => {
    const details = { files: ["a"] };
    onMessage = ({ id }) =>
      send({ type: "tinyvex.error", request_id: id, code: "conflict", message: "Not now.", details });
    const refused = client.request("tvx.ping", {});
    await expect(refused).rejects.toThrow(new HostError("conflict", "Not now.", { details }));
    await expect(refused).rejects.toMatchObject({ code: "conflict", details });
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
    await followThread(client, "t1", (current) => {
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

  it("rejects open requests when the host goes away, and connects again by itself", async () => {
    const waiting = client.request("tvx.ping", {});
    host.terminate();
    await expect(waiting).rejects.toThrow(OfflineError);
    await expect(client.request("tvx.ping", {})).rejects.toMatchObject({ code: "unavailable" });
    await client.whenOpen();
    onMessage = ({ id }) => send({ type: "tinyvex.pong", request_id: id });
    await client.request("tvx.ping", {});
  });

  it("stays lost if it is not to reconnect", async () => {
    const lonely = new HostConnection({ address: client.origin, token: "token", reconnects: false });
    await lonely.whenOpen();
    host.terminate();
    await lonely.whenLost();
    await expect(lonely.request("tvx.ping", {})).rejects.toThrow(OfflineError);
  });

  it("stops reconnecting when it is closed", async () => {
    await client.close();
    await expect(client.request("tvx.ping", {})).rejects.toThrow(OfflineError);
  });
});
