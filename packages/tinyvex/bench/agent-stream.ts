// What the ingest benchmarks share: a raw agent stream in a file, the reading of it, and a register in a folder of its own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StringDecoder } from "node:string_decoder";
import { setTimeout } from "node:timers/promises";
import { type Json, readUpdate } from "@signalbox/protocol";
import { AgentLineParser, type Register } from "../src/index.ts";
import { endTurn, startTurn } from "../src/testing/entries.ts";

/** Reads JSON lines from the pipe of a process, as a host reads an agent, and parses each: what the rest is compared with. */
export async function readStream(file: string, onMessage: (message: unknown) => void): Promise<void> {
  const decoder = new StringDecoder("utf8");
  const agent = spawn("cat", [file], { stdio: ["ignore", "pipe", "inherit"] });
  let rest = "";
  agent.stdout.on("data", (bytes: Buffer) => {
    const text = rest + decoder.write(bytes);
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      onMessage(JSON.parse(text.slice(start, end)));
      start = end + 1;
    }
    rest = text.slice(start);
  });
  await once(agent, "close");
}

/** The same lines as bytes, as the host's splitter gives them. */
async function readLines(file: string, onLine: (line: Buffer) => void): Promise<void> {
  const agent = spawn("cat", [file], { stdio: ["ignore", "pipe", "inherit"] });
  let rest = Buffer.alloc(0);
  agent.stdout.on("data", (bytes: Buffer) => {
    let start = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
      const line = bytes.subarray(start, end);
      onLine(start === 0 && rest.length > 0 ? Buffer.concat([rest, line]) : line);
      if (start === 0) rest = Buffer.alloc(0);
      start = end + 1;
    }
    rest = start === 0 ? Buffer.concat([rest, bytes]) : Buffer.from(bytes.subarray(start));
  });
  await once(agent, "close");
}

export async function writeStream(file: string, updates: Iterable<object>): Promise<void> {
  const out = createWriteStream(file);
  for (const update of updates) {
    const line = JSON.stringify({
      jsonrpc: "2.0",
      method: "session/update",
      params: { sessionId: "session-1", update },
    });
    if (!out.write(`${line}\n`)) await once(out, "drain");
  }
  out.end();
  await once(out, "finish");
}

const sampleText =
  "the register keeps what an agent did and shows it in the order in which it came so that no one has to guess".split(
    " ",
  );

interface Chunk {
  readonly sessionUpdate: "agent_message_chunk";
  readonly content: { readonly type: "text"; readonly text: string };
  readonly [key: string]: Json;
}

/** Tokens as a model streams them. */
export function* chunks(count: number): Generator<Chunk> {
  for (let index = 0; index < count; index++) {
    const word = sampleText[(index * 7 + (index >> 5)) % sampleText.length];
    const text = index % 97 === 96 ? ".\n" : ` ${word}`;
    yield { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
  }
}

/** Updates of tool calls with about `size` bytes of output each, a hundred updates per call. */
export function* toolUpdates(count: number, size: number): Iterable<object> {
  for (let index = 0; index < count; index++) {
    const toolCallId = `call-${Math.floor(index / 100)}`;
    if (index % 100 === 0) {
      yield { sessionUpdate: "tool_call", toolCallId, title: "npm test", kind: "execute", status: "in_progress" };
      continue;
    }
    const text = `line ${index}: ${sampleText.join(" ")}\n`.repeat(Math.ceil(size / 110)).slice(0, size);
    const status = index % 100 === 99 ? "completed" : "in_progress";
    yield {
      sessionUpdate: "tool_call_update",
      toolCallId,
      status,
      content: [{ type: "content", content: { type: "text", text } }],
    };
  }
}

/** A turn as it usually goes: words, tool calls with a few updates, words again. */
export function* sessionUpdates(count: number): Generator<object> {
  const text = chunks(count);
  for (let index = 0; index < count; index++) {
    const place = index % 60;
    const toolCallId = `call-${Math.floor(index / 60)}`;
    if (place < 40) yield text.next().value ?? {};
    else if (place === 40)
      yield { sessionUpdate: "tool_call", toolCallId, title: "Read a.ts", kind: "read", status: "pending" };
    else {
      const output = { type: "content", content: { type: "text", text: `${place} ${sampleText.join(" ")}` } };
      const status = place === 59 ? "completed" : "in_progress";
      yield { sessionUpdate: "tool_call_update", toolCallId, status, content: [output] };
    }
  }
}

export function newFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "tinyvex-bench-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** A thread in which a turn runs. */
export async function newThread(register: Register): Promise<string> {
  const { id } = await register.createThread({ agent_id: "bench", cwd: "/" });
  startTurn(register, id, "1");
  await register.settled(id);
  return id;
}

const parser = new AgentLineParser();

/** Reads the stream into a thread, to the end of its turn. */
export async function ingest(file: string, register: Register, threadId: string, turnId = "1"): Promise<void> {
  await readLines(file, (line) => {
    const parsed = parser.parse(line);
    register.append(threadId, { type: "update", update: parsed?.update ?? readUpdate(null), source: parsed?.source });
  });
  endTurn(register, threadId, turnId);
  await register.settled(threadId);
}

/** Waits until everything is in the full-text index, which happens after the commit. */
export async function indexed(path: string): Promise<void> {
  const database = new DatabaseSync(path, { readOnly: true });
  const left = database.prepare("SELECT 1 FROM search_queue UNION ALL SELECT 1 FROM search_slices LIMIT 1");
  while (left.get() !== undefined) await setTimeout(5);
  database.close();
}
