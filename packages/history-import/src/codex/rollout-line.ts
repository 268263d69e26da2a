// Reads one line of a Codex rollout. Older versions wrote the items without an envelope.
import { type JsonObject, readText } from "@signalbox/protocol";
import { readObject, readTime } from "../json-fields.ts";

interface RolloutLine {
  readonly type: string;
  readonly at: number | null;
  readonly payload: JsonObject;
}

export function readRolloutLine(line: JsonObject): RolloutLine {
  const type = readText(line, "type");
  const at = readTime(line, "timestamp");
  if (line.payload !== undefined) return { type: type ?? "", at, payload: readObject(line, "payload") };
  if (type !== null) return { type: "response_item", at, payload: line };
  return { type: readText(line, "id") === null ? "" : "session_meta", at, payload: line };
}

/** The texts of a message's content. */
export function readMessageText(payload: JsonObject): string {
  const { content } = payload;
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? content : [];
  return parts.map((part) => (typeof part === "object" && part !== null && "text" in part ? part.text : "")).join("");
}

/** True for texts that Codex adds in the user's name: instructions, and facts about the machine. */
export function isInjected(text: string): boolean {
  const words = text.trim();
  if (words.startsWith("# AGENTS.md instructions")) return true;
  const tag = /^<([a-z_]+)[^>]*>/i.exec(words)?.[1];
  return tag !== undefined && words.endsWith(`</${tag}>`);
}
