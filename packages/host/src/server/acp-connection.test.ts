import { EventEmitter } from "node:events";
import { expect, it, vi } from "vitest";
import type { WebSocket } from "ws";
import { connectAcpClient } from "./acp-connection.ts";
import type { HostServices } from "./host-services.ts";

/** A socket whose other side reads only when the test says so. Each message counts as a megabyte. */
class SilentSocket extends EventEmitter {
  readonly sent: string[] = [];
  bufferedAmount = 0;
  isPaused = false;
  #unread: (() => void)[] = [];

  send(text: string, done: () => void): void {
    this.sent.push(text);
    this.bufferedAmount += 1024 * 1024;
    this.#unread.push(done);
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  readAll(): void {
    this.bufferedAmount = 0;
    for (const done of this.#unread.splice(0)) done();
  }
}

function connect() {
  const socket = new SilentSocket();
  connectAcpClient(socket as unknown as WebSocket, new URLSearchParams(), {} as HostServices);
  return socket;
}

it("a message of a client with very many values is not read, and it gets an error", () => {
  const socket = connect();
  socket.emit("message", Buffer.from(`{"id":1,"method":"session/new","params":[${"0,".repeat(200_001)}0]}`), false);
  expect(socket.sent).toHaveLength(1);
  expect(socket.sent[0]).toContain("This frame was not read: it has more than 200,000 values.");
});

it("a client that does not read its answers is not read either, until it reads", () => {
  const socket = connect();
  for (let index = 0; index < 10 && !socket.isPaused; index++) socket.emit("message", Buffer.from("junk"), false);
  expect([socket.isPaused, socket.sent.length]).toEqual([true, 5]);
  socket.readAll();
  expect(socket.isPaused).toBe(false);
});

it("an answer to a request that was not sent prints nothing on the host's own output", async () => {
  const print = vi.spyOn(console, "error").mockImplementation(() => {});
  const socket = connect();
  for (const answer of ['"id":"\\u001b[2J","result":{}', '"id":1', '"result":{}'])
    socket.emit("message", Buffer.from(`{"jsonrpc":"2.0",${answer}}`), false);
  socket.emit(
    "message",
    Buffer.from('{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":1}}'),
    false,
  );
  await expect.poll(() => socket.sent.join()).toContain('"id":7');
  expect(print).not.toHaveBeenCalled();
  print.mockRestore();
});
