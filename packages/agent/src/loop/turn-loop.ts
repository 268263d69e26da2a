// One turn: ask the model, pass on what it says as it says it, and say truly why the turn ended.
import type { StopReason } from "@agentclientprotocol/sdk";
import type { Model, ModelEvent, ModelMessage, ModelRequest } from "../providers/model.ts";

export interface TurnInput {
  readonly model: Model;
  readonly messages: readonly ModelMessage[];
  readonly signal: AbortSignal;
  /** Called in order with every piece of text. */
  readonly say: (text: string) => Promise<void>;
}

export interface TurnResult {
  readonly stopReason: StopReason;
  /** What the assistant said, also when the turn was cut short: it becomes part of the history. */
  readonly text: string;
}

export async function runTurn({ model, messages, signal, say }: TurnInput): Promise<TurnResult> {
  let text = "";
  try {
    for await (const event of model.stream(request(messages), signal)) {
      if (event.type === "finish") return { stopReason: stopReasons[event.reason], text };
      if (event.type !== "text") continue;
      text += event.text;
      await say(event.text);
      signal.throwIfAborted();
    }
  } catch (error) {
    if (signal.aborted) return { stopReason: "cancelled", text };
    throw error;
  }
  throw new Error(`${model.name} ended its answer without saying why`);
}

function request(messages: readonly ModelMessage[]): ModelRequest {
  return { system: "", messages, tools: [], maxOutputTokens: 8192, thinking: "off" };
}

const stopReasons: Record<Extract<ModelEvent, { type: "finish" }>["reason"], StopReason> = {
  stop: "end_turn",
  tool_calls: "end_turn",
  max_tokens: "max_tokens",
  refusal: "refusal",
};
