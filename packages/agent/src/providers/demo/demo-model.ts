// The demo: answers without a key and without a network, at a model's pace, and says that it is not a model.
import { setTimeout as pause } from "node:timers/promises";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";

/** About the pace of a fast model, so that streaming can be seen. */
const millisecondsPerWord = 12;

export const demoModel: Model = { name: "demo", stream };

async function* stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
  for (const word of answer(request).split(/(?<=\s)/)) {
    await pause(millisecondsPerWord, undefined, { signal });
    yield { type: "text", text: word };
  }
  yield { type: "finish", reason: "stop" };
}

function answer({ messages, cwd }: ModelRequest): string {
  const prompt = messages.findLast((message) => message.role === "user")?.text ?? "";
  const turn = messages.filter((message) => message.role === "user").length;
  return [
    "I am the **demo**: a script, not a model. I need no key and no network, and I am here so that you can see Signalbox work.",
    "",
    `This is prompt ${turn} of this thread. You wrote:`,
    "",
    ...prompt.split("\n").map((line) => `> ${line}`),
    "",
    `I run as an ACP agent of my own process, in \`${cwd}\`. Every word of this answer came over the protocol, was written into the register, and only then reached this page.`,
  ].join("\n");
}
