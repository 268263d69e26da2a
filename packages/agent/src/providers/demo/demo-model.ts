// Implements the demo model: it needs no key and no network, streams like a model and calls the real tools. It says that it is no model.
import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { AssistantPart, Model, ModelEvent, ModelRequest, ModelUsage } from "../model.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import { type DemoTurn, demoTurn } from "./demo-turn.ts";

/** About as fast as a fast model, so that streaming can be seen. */
const millisecondsPerWord = 12;
const charactersPerToken = 4;

export function demoModel({ facts }: Pick<ProviderSettings, "facts">): Model {
  return { provider: "demo", name: "demo", contextWindow: 100_000, facts: facts("demo"), stream };
}

async function* stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
  const turn = demoTurn(request);
  const message: AssistantPart[] = [];
  if (turn.thought !== undefined) {
    yield* streamText(turn.thought, "reasoning", signal);
    message.push({ type: "reasoning", text: turn.thought });
  }
  if (turn.text !== "") {
    yield* streamText(turn.text, "text", signal);
    message.push({ type: "text", text: turn.text });
  }
  if (turn.call !== undefined) {
    const call = { id: `demo_${randomBytes(8).toString("hex")}`, name: turn.call.tool, input: turn.call.input };
    yield* streamInput(call, signal);
    message.push({ type: "tool_call", ...call });
  }
  const reason = turn.call === undefined ? "stop" : "tool_calls";
  yield { type: "finish", reason, usage: estimateUsage(request, turn), message };
}

async function* streamText(text: string, type: "text" | "reasoning", signal: AbortSignal): AsyncIterable<ModelEvent> {
  for (const word of text.split(/(?<=\s)/)) {
    await pause(millisecondsPerWord, undefined, { signal });
    yield { type, text: word };
  }
}

/** Streams the input in pieces, as a model does. */
async function* streamInput(
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

function estimateUsage({ system, messages }: ModelRequest, { text }: DemoTurn): ModelUsage {
  const inputTokens = tokens(system.length + JSON.stringify(messages).length);
  return { inputTokens, outputTokens: tokens(text.length), cachedTokens: 0, cacheWriteTokens: 0 };
}

function tokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}
