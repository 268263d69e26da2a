// Implements the rules of the timeline again, as simply as possible, to compare with the real projection: no database, no windows, no blobs.
import { type ChunkKind, type ElicitationStatus, isJsonObject, type Json, type JsonObject } from "@signalbox/protocol";

export type Step =
  | {
      readonly type: "chunk";
      readonly kind: ChunkKind;
      readonly text: string;
      readonly messageId: string | null;
    }
  | { readonly type: "tool"; readonly announced: boolean; readonly id: string; readonly fields: JsonObject }
  | { readonly type: "plan" }
  | { readonly type: "elicit"; readonly id: string; readonly status: Exclude<ElicitationStatus, "pending"> | null }
  | { readonly type: "unknown" }
  | { readonly type: "malformed" }
  | { readonly type: "start"; readonly prompt?: string }
  | { readonly type: "end" };

export type ModelItem =
  | { readonly type: "message"; readonly kind: string; text: string; messageId: string | null }
  | {
      readonly type: "tool";
      readonly id: string;
      title: string;
      kind: string;
      status: string;
      started: boolean;
      ended: "agent" | "register" | null;
      content: readonly Json[];
      rawInput: Json;
    };

const shownAs: Record<ChunkKind, string> = {
  agent_message_chunk: "message",
  agent_thought_chunk: "reason",
  user_message_chunk: "prompt",
};

type ToolItem = Extract<ModelItem, { type: "tool" }>;

export class TimelineModel {
  readonly items: ModelItem[] = [];
  turns = 0;
  #isRunning = false;
  #open: Extract<ModelItem, { type: "message" }> | null = null;

  apply(step: Step): void {
    switch (step.type) {
      case "chunk":
        return this.#chunk(shownAs[step.kind], step.text, step.messageId);
      case "tool":
        return this.#tool(step.announced, step.id, step.fields);
      case "plan":
        this.#open = null;
        return;
      case "start":
        if (this.#isRunning) return;
        this.#isRunning = true;
        this.turns++;
        this.#open = null;
        this.items.push({ type: "message", kind: "prompt", text: step.prompt ?? "go", messageId: null });
        return;
      case "end":
        if (!this.#isRunning) return;
        this.#isRunning = false;
        this.#open = null;
        for (const item of this.items) if (item.type === "tool") this.#settle(item);
        return;
      case "elicit":
      case "unknown":
      case "malformed":
        return;
    }
  }

  #chunk(kind: string, text: string, messageId: string | null): void {
    if (text === "") return;
    const open = this.#open;
    const other = open?.messageId ?? messageId;
    if (open === null || open.kind !== kind || other !== (messageId ?? other)) {
      this.#open = { type: "message", kind, text, messageId };
      this.items.push(this.#open);
      return;
    }
    open.text += text;
    open.messageId ??= messageId;
  }

  #tool(announced: boolean, id: string, fields: JsonObject): void {
    let item = this.items.find((other): other is ToolItem => other.type === "tool" && other.id === id);
    const isKnown = item !== undefined;
    if (announced || !isKnown) this.#open = null;
    if (item === undefined) {
      const title = "Tool call";
      item = {
        type: "tool",
        id,
        title,
        kind: "other",
        status: "pending",
        started: false,
        ended: null,
        content: [],
        rawInput: null,
      };
      this.items.push(item);
    }
    const { title, kind, status, content, rawInput } = fields;
    if (typeof title === "string") item.title = title;
    if (typeof kind === "string") item.kind = kind;
    const isRepeated = announced && isKnown;
    if (Array.isArray(content) && !(isRepeated && content.length === 0)) item.content = content;
    // An announcement that comes again erases nothing by being empty.
    const erases = isRepeated && item.rawInput !== null && isJsonObject(rawInput) && Object.keys(rawInput).length === 0;
    if (isJsonObject(rawInput) && !erases) item.rawInput = rawInput;
    if (typeof status === "string") advance(item, status);
    if (!this.#isRunning) this.#settle(item);
  }

  /** Without a turn nothing stays open. */
  #settle(item: ToolItem): void {
    if (item.ended !== null) return;
    item.status = "failed";
    item.ended = "register";
  }
}

function advance(item: ToolItem, status: string): void {
  if (status === "completed" || status === "failed") {
    item.status = status;
    item.ended = "agent";
  } else if (item.ended === null && !(status === "pending" && item.started)) {
    item.status = status;
    item.started ||= status !== "pending";
  }
}
