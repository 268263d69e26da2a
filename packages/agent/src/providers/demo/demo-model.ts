// The demo: answers without a key and without a network, at a model's pace, drives the real tools, and says that it is not a model.
import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { AssistantPart, Model, ModelEvent, ModelRequest, ModelUsage } from "../model.ts";
import { type DemoTurn, demoTurn } from "./demo-turn.ts";

/** About the pace of a fast model, so that streaming can be seen. */
const millisecondsPerWord = 12;
const charactersPerToken = 4;

export const demoModel: Model = { provider: "demo", name: "demo", contextWindow: 100_000, stream };

async function* stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
  const turn = demoTurn(request);
  const message: AssistantPart[] = [];
  if (turn.thought !== undefined) {
    yield* spoken(turn.thought, "reasoning", signal);
    message.push({ type: "reasoning", text: turn.thought });
  }
  if (turn.text !== "") {
    yield* spoken(turn.text, "text", signal);
    message.push({ type: "text", text: turn.text });
  }
  if (turn.call !== undefined) {
    const call = { id: `demo_${randomBytes(8).toString("hex")}`, name: turn.call.tool, input: turn.call.input };
    yield* written(call, signal);
    message.push({ type: "tool_call", ...call });
  }
  const reason = turn.call === undefined ? "stop" : "tool_calls";
  yield { type: "finish", reason, usage: usageOf(request, turn), message };
}

async function* spoken(text: string, type: "text" | "reasoning", signal: AbortSignal): AsyncIterable<ModelEvent> {
  for (const word of text.split(/(?<=\s)/)) {
    await pause(millisecondsPerWord, undefined, { signal });
    yield { type, text: word };
  }
}

/** The input comes bit by bit, as a model writes it. */
async function* written(
  { id, name, input }: { id: string; name: string; input: unknown },
  signal: AbortSignal,
): AsyncIterable<ModelEvent> {
  yield { type: "tool_input_start", id, name };
  for (const piece of JSON.stringify(input).split(/(?<=[\s,:])/)) {
    await pause(millisecondsPerWord, undefined, { signal });
    yield { type: "tool_input_delta", id, text: piece };
  }
  yield { type: "tool_call", id, name, input };
}

function usageOf({ system, messages }: ModelRequest, { text }: DemoTurn): ModelUsage {
  const inputTokens = tokens(system.length + JSON.stringify(messages).length);
  return { inputTokens, outputTokens: tokens(text.length), cachedTokens: 0 };
}

function tokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}
