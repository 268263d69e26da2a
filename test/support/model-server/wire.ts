// One wire format: which requests are its own, how it reads them, and how it writes an answer as frames.
import type { Answer } from "./script.ts";
import type { SeenRequest, WireName } from "./seen-request.ts";

export interface Wire {
  readonly name: WireName;
  readonly contentType: string;
  /** Of the frames; `latin1` where a frame is bytes and each character is one. */
  readonly encoding?: "latin1";
  matches(path: string): boolean;
  read(body: Fields, path: string): Pick<SeenRequest, "model" | "system" | "messages" | "tools" | "maxOutputTokens">;
  /** The whole answer, one string for each event or line, separators included. */
  frames(answer: Answer, model: string): readonly string[];
  /** An error in the middle of an answer. */
  errorFrame(message: string): string;
  junkFrame: string;
  /** The body of an error response. */
  errorBody(status: number, message: string): unknown;
}

export type Fields = Readonly<Record<string, unknown>>;

export function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fields) : [];
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The text of content that is a string or a list of parts with `text`. */
export function contentText(value: unknown): string {
  return typeof value === "string"
    ? value
    : list(value)
        .map((part) => text(part.text))
        .join("");
}

export function parsed(json: unknown): unknown {
  if (typeof json !== "string") return json;
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

export function event(data: unknown, name?: string): string {
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** A number that no two calls of this process share. */
let next = 1;
export function freshId(prefix: string): string {
  return `${prefix}${String(next++).padStart(6, "0")}`;
}
