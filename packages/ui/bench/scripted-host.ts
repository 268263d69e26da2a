// A host for measuring the page alone: serves the built page under the real policy, a computed thread of any length, and updates at a fixed
// rate. Everything else is answered as unavailable.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import type {
  ClientMessage,
  MessageRow,
  QueryArgs,
  ServerMessage,
  ThreadRow,
  ThreadSnapshot,
  TimelineItem,
  ToolCallRow,
} from "@signalbox/protocol";
import { type WebSocket, WebSocketServer } from "ws";
import { messageRow, threadRow, threadSnapshot } from "../../../test/support/rows.ts";

const dist = join(import.meta.dirname, "../dist");
const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};
const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'";
const begun = 1_790_000_000_000;

export class ScriptedHost implements AsyncDisposable {
  readonly port: number;
  readonly #server;
  readonly #sockets: WebSocketServer;

  private constructor(server: ReturnType<typeof createServer>, sockets: WebSocketServer) {
    this.#server = server;
    this.#sockets = sockets;
    this.port = (server.address() as AddressInfo).port;
  }

  /** `page`: how many items a snapshot carries; the host's own gives 200. */
  static async start({ items, page = 200 }: { items: number; page?: number }): Promise<ScriptedHost> {
    const server = createServer((request, response) => {
      const path = request.url === "/" || request.url === undefined ? "/index.html" : request.url;
      if (path === "/health") return response.end("{}");
      try {
        const body = readFileSync(join(dist, path));
        response.setHeader("Content-Security-Policy", policy);
        response.setHeader("Content-Type", types[extname(path)] ?? "application/octet-stream");
        response.setHeader("Cache-Control", path.startsWith("/assets/") ? "max-age=31536000, immutable" : "no-cache");
        return response.end(body);
      } catch {
        return response.writeHead(404).end();
      }
    });
    const sockets = new WebSocketServer({ server, path: "/ws", handleProtocols: () => "signalbox.v1" });
    sockets.on("connection", (socket) => {
      socket.on("message", (data: Buffer) =>
        answer(socket, JSON.parse(data.toString("utf8")) as ClientMessage, items, page),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new ScriptedHost(server, sockets);
  }

  /** Sends `rate` updates a second for a while: text that grows, now and then a tool call and a new message. */
  async stream({ items, rate, seconds }: { items: number; rate: number; seconds: number }): Promise<number> {
    let seq = items;
    let message = { seq: 0, length: 0 };
    const start = performance.now();
    let sent = 0;
    while (performance.now() - start < seconds * 1000) {
      const due = Math.floor(((performance.now() - start) / 1000) * rate);
      for (; sent < due; sent++) {
        seq++;
        if (sent % 80 === 79) {
          message = { seq: 0, length: 0 };
          this.#send({ type: "tinyvex.update", stream: "tool_calls", thread_id: "bench", seq, row: toolCall(seq) });
          continue;
        }
        if (message.seq === 0) message = { seq, length: 0 };
        const delta = sent % 9 === 8 ? "`code` and **more**.\n\n" : "some words that stream in ";
        this.#send({
          type: "tinyvex.update",
          stream: "messages",
          thread_id: "bench",
          seq,
          item_id: `m${message.seq}`,
          item_seq: message.seq,
          role: "assistant",
          kind: "message",
          text_offset: message.length,
          text_delta: delta,
          ts: begun + seq,
        });
        message = { seq: message.seq, length: message.length + delta.length };
      }
      await new Promise((resolve) => setTimeout(resolve, 4));
    }
    return sent;
  }

  #send(message: ServerMessage): void {
    const text = JSON.stringify(message);
    for (const socket of this.#sockets.clients) socket.send(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function answer(socket: WebSocket, message: ClientMessage, items: number, page: number): void {
  const reply = (body: ServerMessage) => socket.send(JSON.stringify({ ...body, request_id: message.id }));
  if (message.control === "tvx.subscribe" && message.stream === "threads") {
    return reply({
      type: "tinyvex.snapshot",
      stream: "threads",
      rows: [{ ...thread(items), message_count: items, tool_call_count: 0 }],
    });
  }
  if (message.control === "tvx.subscribe") {
    return reply({ type: "tinyvex.snapshot", stream: "thread", thread_id: "bench", ...snapshot(items, page) });
  }
  if (message.control === "tvx.query" && message.name === "timeline.list") {
    const before = (message.args as QueryArgs<"timeline.list"> | undefined)?.before_seq ?? items + 1;
    const from = Math.max(1, before - page);
    const rows = range(from, before - 1);
    return reply({
      type: "tinyvex.query_result",
      name: "timeline.list",
      rows,
      ...(from > 1 ? { next_cursor: String(from) } : {}),
    });
  }
  if (message.control === "tvx.query") return reply({ type: "tinyvex.query_result", name: message.name, rows: [] });
  return reply({ type: "tinyvex.error", code: "unavailable", message: "Not offered here." });
}

function snapshot(items: number, page: number): ThreadSnapshot {
  const from = Math.max(1, items - page + 1);
  return threadSnapshot({
    thread: thread(items),
    timeline: range(from, items),
    has_more: from > 1,
    seq: items,
  });
}

function range(from: number, to: number): readonly TimelineItem[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => {
    const seq = from + index;
    return seq % 3 === 0 ? { type: "tool_call", ...toolCall(seq) } : { type: "message", ...benchMessage(seq) };
  });
}

function thread(items: number): ThreadRow {
  return threadRow({
    id: "bench",
    agent_id: "bench",
    cwd: "/bench",
    title: `${items} items`,
    status: "running",
    created_at: begun,
    updated_at: begun + items,
    last_seq: items,
  });
}

function benchMessage(seq: number): MessageRow {
  const text = `Item ${seq}: the **importer** reads \`src/${seq}.ts\` line by line, so nothing is kept in memory that is not needed.`;
  return messageRow({
    thread_id: "bench",
    item_id: `m${seq}`,
    seq,
    last_seq: seq,
    role: seq % 30 === 1 ? "user" : "assistant",
    text,
    partial: false,
    created_at: begun + seq,
    updated_at: begun + seq,
  });
}

function toolCall(seq: number): ToolCallRow {
  return {
    thread_id: "bench",
    tool_call_id: `c${seq}`,
    seq,
    last_seq: seq,
    title: `Read \`src/${seq}.ts\``,
    name: "read",
    kind: "read",
    status: "completed",
    content: [{ type: "content", content: { type: "text", text: `line of file ${seq}\n`.repeat(10) } }],
    locations: [{ path: `/bench/src/${seq}.ts`, line: 1 }],
    raw_input: { path: `src/${seq}.ts` },
    raw_output: null,
    meta: null,
    created_at: begun + seq,
    started_at: begun + seq,
    ended_at: begun + seq + 12,
    waited_ms: 0,
    parent_tool_call_id: null,
  };
}
