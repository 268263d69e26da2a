// The demo: answers without a key and without a network, at a model's pace, and says that it is not a model.
import { setTimeout as pause } from "node:timers/promises";
import type { Model, ModelEvent, ModelMessage, ModelRequest } from "../model.ts";

/** About the pace of a fast model, so that streaming can be seen. */
const millisecondsPerWord = 12;

export const demoModel: Model = { provider: "demo", name: "demo", contextWindow: null, stream };

async function* stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
  const text = answer(request);
  for (const word of text.split(/(?<=\s)/)) {
    await pause(millisecondsPerWord, undefined, { signal });
    yield { type: "text", text: word };
  }
  yield { type: "finish", reason: "stop", usage: null, message: [{ type: "text", text }] };
}

function answer({ messages }: ModelRequest): string {
  const prompts = messages.filter((message) => message.role === "user");
  const last = prompts.at(-1);
  return [
    "I am the **demo**: a script, not a model. I need no key and no network, and I am here so that you can see Signalbox work.",
    "",
    `This is prompt ${prompts.length} of this thread. You wrote:`,
    "",
    ...(last === undefined ? "" : textOf(last)).split("\n").map((line) => `> ${line}`),
    "",
    "I run as an ACP agent of my own process. Every word of this answer came over the protocol, was written into the register, and only then reached this page.",
  ].join("\n");
}

function textOf(message: Extract<ModelMessage, { role: "user" }>): string {
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
