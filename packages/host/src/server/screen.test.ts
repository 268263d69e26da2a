import { EventEmitter } from "node:events";
import type { ServerMessage } from "@signalbox/protocol";
import { expect, it } from "vitest";
import type { WebSocket } from "ws";
import { owner } from "../data/caller.ts";
import type { HostServices } from "./host-services.ts";
import { Screen } from "./screen.ts";

const megabyte = 1024 * 1024;

/** A socket whose other side asks, and reads only when the test calls readAll. Each message counts as a megabyte. */
class SilentSocket extends EventEmitter {
  readonly sent: ServerMessage[] = [];
  bufferedAmount = 0;
  isPaused = false;
  #unread: (() => void)[] = [];

  send(text: string, done: () => void): void {
    this.sent.push(JSON.parse(text) as ServerMessage);
    this.bufferedAmount += megabyte;
    this.#unread.push(done);
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  ask(id: number): void {
    this.emit("message", Buffer.from(JSON.stringify({ control: "tvx.ping", id })), false);
  }

  readAll(): void {
    this.bufferedAmount = 0;
    for (const done of this.#unread.splice(0)) done();
  }
}

const connect = (socket: SilentSocket, services: object) =>
  new Screen(socket as unknown as WebSocket, services as HostServices, owner);

const settled = () => new Promise((resolve) => setImmediate(resolve));

it("a screen that does not read its answers gets a bounded number of them, and all when it reads", async () => {
  let showProgress = (_message: object) => {};
  const onProgress = (listener: typeof showProgress) => {
    showProgress = listener;
    return () => {};
  };
  const socket = new SilentSocket();
  connect(socket, { fanOut: { onProgress } });
  for (let id = 0; id < 500; id++) socket.ask(id);
  await settled();
  const unread = socket.sent.length;
  expect([unread < 50, socket.isPaused]).toEqual([true, true]);
  for (let message = 0; message < 100; message++) showProgress({ type: "tinyvex.import_progress" });
  expect(socket.sent.length).toBe(unread);
  for (let reads = 0; reads < 500 && socket.isPaused; reads++) {
    socket.readAll();
    await settled();
  }
  expect(socket.isPaused).toBe(false);
  expect(socket.sent.map((message) => "request_id" in message && message.request_id)).toEqual([
    ...Array.from({ length: 500 }).keys(),
  ]);
});

it("a screen that reads is never paused", async () => {
  const socket = new SilentSocket();
  const fanOut = { onProgress: () => () => {} };
  connect(socket, { fanOut });
  for (let id = 0; id < 100; id++) {
    socket.ask(id);
    await settled();
    socket.readAll();
    expect(socket.isPaused).toBe(false);
  }
  expect(socket.sent).toHaveLength(100);
});

it("a frame with very many values is not read, and its request gets an error; a long text is", async () => {
  const socket = new SilentSocket();
  connect(socket, { fanOut: { onProgress: () => () => {} } });
  const values = (count: number) => Array.from({ length: count }, () => 1);
  const send = (frame: object) => socket.emit("message", Buffer.from(JSON.stringify(frame)), false);
  send({ id: 7, control: "tvx.ping", list: values(200_001) });
  send({ id: "a", control: "tvx.ping", list: values(300_000) });
  send({ id: 8, control: "tvx.ping", list: values(150_000), text: "x".repeat(20 * megabyte) });
  await settled();
  const problem = "This frame was not read: it has more than 200,000 values.";
  expect(socket.sent).toEqual([
    { type: "tinyvex.error", request_id: 7, code: "bad_request", message: problem },
    { type: "tinyvex.error", request_id: "a", code: "bad_request", message: problem },
    { type: "tinyvex.pong", request_id: 8 },
  ]);
});
