import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { ProxyRecorder } from "./proxy-recorder.ts";

describe("the recorder of signalbox proxy", () => {
  it("reports a host that stops recording, once, and goes on with the next one where it was", async () => {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    await once(server, "listening");
    const frames: string[] = [];
    const origin = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const problems: string[] = [];
    const problem = Promise.withResolvers<void>();
    const recorder = new ProxyRecorder({
      name: "robot",
      cwd: "/w",
      reach: async () => ({ pid: 1, origin, token: "t", certificate: undefined }),
      onProblem: (text) => {
        problems.push(text);
        problem.resolve();
      },
      retryMs: 1,
    });
    recorder.fromClient(Buffer.from("one\ntw"));
    const [first] = (await once(server, "connection")) as [WebSocket];
    const [data] = (await once(first, "message")) as [Buffer];
    frames.push(data.toString());
    first.close(1011, "The disk is full.");
    await problem.promise;
    const again = once(server, "connection") as Promise<[WebSocket]>;
    recorder.fromClient(Buffer.from("o\n"));
    recorder.fromAgent(Buffer.from("three"));
    const [second] = await again;
    second.on("message", (bytes: Buffer) => frames.push(bytes.toString()));
    const closed = once(second, "close");
    await recorder.end("exited with code 0");
    await closed;
    server.close();
    expect(frames).toEqual(["cone", "ctwo", "athree", "xexited with code 0"]);
    expect(problems).toEqual(["Not recorded any more: The disk is full. The conversation goes on."]);
  });
});
