// Recorded conversations of real agents, replayed as a host would hand them over: nothing is lost and the order is kept.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ChunkKind, isJsonObject, type Json, type JsonObject } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import type { Register } from "./register.ts";
import { fact, updateLine } from "./testing/entries.ts";
import { indexed, isGapless, storedRows } from "./testing/stored-rows.ts";
import { slow, temporaryRegister } from "./testing/temporary-register.ts";
import { type Step, TimelineModel } from "./testing/timeline-model.ts";

const testDataFolder = join(import.meta.dirname, "../test-data");

interface Recorded {
  readonly dir: "client->agent" | "agent->client";
  readonly msg: JsonObject;
}

/** A recording played into a register: a thread per session, as a host keeps it. */
class Replay {
  readonly #register: Register;
  readonly threads = new Map<
    string,
    { readonly id: string; readonly sent: JsonObject[]; readonly model: TimelineModel }
  >();
  readonly #prompts = new Map<Json | undefined, { readonly session: string; readonly turnId: string }>();
  readonly #questions = new Map<Json | undefined, string>();
  #turns = 0;

  constructor(register: Register) {
    this.#register = register;
  }

  async play({ dir, msg }: Recorded): Promise<void> {
    const { method, id } = msg;
    const params: JsonObject = isJsonObject(msg.params) ? msg.params : {};
    const session = typeof params.sessionId === "string" ? params.sessionId : null;
    if (dir === "client->agent") {
      if (method === "session/prompt" && session !== null) return this.#prompt(session, id, params);
      if (method === undefined && this.#questions.has(id)) return this.#decide(id);
      return;
    }
    if (method === "session/update" && session !== null) return this.#update(session, params, JSON.stringify(msg));
    if (method === "session/request_permission" && session !== null) return this.#ask(session, id, params);
    if (method === undefined && this.#prompts.has(id)) return this.#answer(id, msg);
    if (typeof method === "string" && id === undefined) {
      for (const thread of this.threads.values())
        this.#register.append(thread.id, { type: "notification", method, params });
    }
  }

  async #thread(session: string) {
    const known = this.threads.get(session);
    if (known !== undefined) return known;
    const { id } = await this.#register.createThread({ agent_id: "recorded", cwd: "/workspace" });
    const thread = { id, sent: [], model: new TimelineModel() };
    this.threads.set(session, thread);
    return thread;
  }

  async #update(session: string, params: JsonObject, line: string): Promise<void> {
    const thread = await this.#thread(session);
    this.#register.append(thread.id, updateLine(line));
    thread.sent.push(params);
    const step = toStep(params);
    if (step !== null) thread.model.apply(step);
  }

  async #prompt(session: string, requestId: Json | undefined, params: JsonObject): Promise<void> {
    const thread = await this.#thread(session);
    const turnId = `turn-${++this.#turns}`;
    const prompt = Array.isArray(params.prompt) ? params.prompt.filter(isBlock) : [];
    this.#register.append(thread.id, fact({ type: "turn_queued", turn_id: turnId, prompt_id: turnId, prompt }));
    this.#register.append(thread.id, fact({ type: "turn_started", turn_id: turnId }));
    this.#prompts.set(requestId, { session, turnId });
    thread.model.apply({ type: "start", prompt: prompt.map(({ text }) => text).join("\n") });
  }

  async #answer(requestId: Json | undefined, { result, error }: JsonObject): Promise<void> {
    const { session, turnId } = this.#prompts.get(requestId)!;
    this.#prompts.delete(requestId);
    const thread = await this.#thread(session);
    if (isJsonObject(result)) {
      const stop_reason = typeof result.stopReason === "string" ? result.stopReason : "end_turn";
      this.#register.append(thread.id, fact({ type: "turn_ended", turn_id: turnId, stop_reason }));
    } else {
      const failure = { code: "agent_failed", message: JSON.stringify(error) };
      this.#register.append(thread.id, fact({ type: "turn_failed", turn_id: turnId, error: failure }));
    }
    thread.model.apply({ type: "end" });
  }

  async #ask(session: string, requestId: Json | undefined, params: JsonObject): Promise<void> {
    const thread = await this.#thread(session);
    const { toolCall } = params;
    if (!isJsonObject(toolCall) || typeof toolCall.toolCallId !== "string") throw new Error("a question about nothing");
    const described = { ...toolCall, toolCallId: toolCall.toolCallId };
    const id = `permission-${JSON.stringify(requestId)}`;
    this.#questions.set(requestId, session);
    this.#register.append(
      thread.id,
      fact({ type: "permission_requested", permission_id: id, tool_call: described, options: [] }),
    );
    thread.model.apply({ type: "tool", announced: false, id: described.toolCallId, fields: toolCall });
  }

  async #decide(requestId: Json | undefined): Promise<void> {
    const thread = await this.#thread(this.#questions.get(requestId)!);
    this.#questions.delete(requestId);
    const decided = { status: "allowed", option_id: "allow", decided_by: "recording", rule: null } as const;
    const id = `permission-${JSON.stringify(requestId)}`;
    this.#register.append(thread.id, fact({ type: "permission_decided", permission_id: id, ...decided }));
  }
}

/** Told apart here again, so that the reader is tested and not repeated. */
function isChunkKind(kind: string): kind is ChunkKind {
  return /^(?:agent_message|agent_thought|user_message)_chunk$/.test(kind);
}

function isBlock(value: Json): value is { type: string; text: string } {
  return isJsonObject(value) && value.type === "text";
}

function toStep({ update }: JsonObject): Step | null {
  if (!isJsonObject(update) || typeof update.sessionUpdate !== "string") return { type: "malformed" };
  const { sessionUpdate: kind, content, messageId, toolCallId } = update;
  if (isChunkKind(kind)) {
    const text = isJsonObject(content) && typeof content.text === "string" ? content.text : "";
    return { type: "chunk", kind, text, messageId: typeof messageId === "string" ? messageId : null };
  }
  if ((kind === "tool_call" || kind === "tool_call_update") && typeof toolCallId === "string") {
    return { type: "tool", announced: kind === "tool_call", id: toolCallId, fields: update };
  }
  return kind === "plan" ? { type: "plan" } : null;
}

/** Joins neighbours that differ only in their text, however they were joined before. */
function joinChunks(updates: readonly JsonObject[]): unknown[] {
  const joined: { shape: string; text: string; whole: JsonObject }[] = [];
  for (const { chunks: _, ...params } of updates) {
    const { update } = params;
    const content = isJsonObject(update) ? update.content : null;
    const kind = isJsonObject(update) ? update.sessionUpdate : null;
    const isChunk = typeof kind === "string" && isChunkKind(kind);
    const text = isChunk && isJsonObject(content) ? content.text : null;
    if (typeof text !== "string" || !isJsonObject(content)) {
      joined.push({ shape: "", text: "", whole: params });
      continue;
    }
    const shape = JSON.stringify({
      ...params,
      update: { ...(isJsonObject(update) ? update : {}), content: { ...content, text: "" } },
    });
    const last = joined.at(-1);
    if (last?.shape === shape) last.text += text;
    else joined.push({ shape, text, whole: params });
  }
  return joined.map(({ shape, text, whole }) => (shape === "" ? whole : { shape, text }));
}

async function eventsOf(register: Register, threadId: string): Promise<readonly JsonObject[]> {
  const all: JsonObject[] = [];
  for (let after = 0; ; after = all.length) {
    const { rows } = await register.query("events.list", {
      thread_id: threadId,
      after_seq: after,
      limit: 500,
      full: true,
    });
    if (rows.length === 0) return all;
    all.push(...rows);
  }
}

describe("recorded sessions of real agents", slow, () => {
  for (const file of readdirSync(testDataFolder).filter((name) => name.endsWith(".jsonl"))) {
    it(`${file} comes out as it went in`, async () => {
      const { register, path } = await temporaryRegister();
      const replay = new Replay(register);
      for (const line of readFileSync(join(testDataFolder, file), "utf8").trim().split("\n"))
        await replay.play(JSON.parse(line));
      expect(replay.threads.size).toBeGreaterThan(0);
      for (const { id, sent, model } of replay.threads.values()) {
        await register.settled(id);
        const events = await eventsOf(register, id);
        const updates = events
          .filter(({ payload }) => isJsonObject(payload) && "update" in payload)
          .map(({ payload }) => payload as JsonObject);
        expect(joinChunks(updates)).toEqual(joinChunks(sent));
        const { timeline } = await register.snapshot(id, { limit: 1000 });
        const shown = timeline.map((item) =>
          item.type === "message"
            ? { type: "message", text: item.text }
            : { type: "tool", id: item.tool_call_id, title: item.title, status: item.status },
        );
        const expected = model.items.map((item) =>
          item.type === "message"
            ? { type: "message", text: item.text }
            : { type: "tool", id: item.id, title: item.title, status: item.status },
        );
        expect(shown).toEqual(expected);
      }
      await indexed(path);
      const live = storedRows(path);
      await register.rebuild();
      expect(storedRows(path)).toEqual(live);
      expect(isGapless(path)).toBe(true);
    });
  }

  it("terminals that live in the agent have their output once, also when a session is loaded again", async () => {
    const { register } = await temporaryRegister();
    const first = new Replay(register);
    const play = async (file: string) => {
      for (const line of readFileSync(join(testDataFolder, file), "utf8").trim().split("\n"))
        await first.play(JSON.parse(line));
    };
    await play("codex.jsonl");
    await play("codex-load.jsonl");
    const outputs = new Map<string, string>();
    for (const { id } of first.threads.values()) {
      await register.settled(id);
      for (const terminal of (await register.snapshot(id)).terminals) outputs.set(terminal.command, terminal.output);
    }
    expect(outputs.get("echo shell-ran && wc -l hello.txt")).toBe("shell-ran\n2 hello.txt\n");
    expect([...outputs.values()]).toContain("hello world\nline two\n");
  });
});
