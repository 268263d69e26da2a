// Reads one line of a Codex rollout. Older versions wrote the items without an envelope.
import type { JsonObject } from "@signalbox/protocol";
import { objectOf, textOf, timeOf } from "../json-fields.ts";

interface RolloutLine {
  readonly type: string;
  readonly at: number | null;
  readonly payload: JsonObject;
}

export function rolloutLine(line: JsonObject): RolloutLine {
  const type = textOf(line, "type");
  const at = timeOf(line, "timestamp");
  if (line.payload !== undefined) return { type: type ?? "", at, payload: objectOf(line, "payload") };
  if (type !== null) return { type: "response_item", at, payload: line };
  return { type: textOf(line, "id") === null ? "" : "session_meta", at, payload: line };
}

/** The texts of a message's content. */
export function messageText(payload: JsonObject): string {
  const { content } = payload;
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? content : [];
  return parts.map((part) => (typeof part === "object" && part !== null && "text" in part ? part.text : "")).join("");
}

/** True for what Codex says in the user's name: its instructions and what it knows of the machine. */
export function isInjected(text: string): boolean {
  const words = text.trim();
  if (words.startsWith("# AGENTS.md instructions")) return true;
  const tag = /^<([a-z_]+)[^>]*>/i.exec(words)?.[1];
  return tag !== undefined && words.endsWith(`</${tag}>`);
}
