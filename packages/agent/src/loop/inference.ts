// One request to the model: shows what it says while it says it, and hands back the whole answer.
import type { PendingToolCall } from "@signalbox/tool-calls";
import { Allow, parse } from "partial-json";
import type { AssistantPart, ModelEvent, ModelRequest } from "../providers/model.ts";
import type { AskedCall, TurnInput } from "./turn.ts";

export interface Answer {
  readonly reason: Extract<ModelEvent, { type: "finish" }>["reason"];
  readonly message: readonly AssistantPart[];
  readonly calls: readonly AskedCall[];
}

/** What was said so far, for the history of a turn that is cancelled in the middle. */
export interface Draft {
  text: string;
}

/** A pause that a person would wonder about. */
const longPauseMs = 2000;

export async function infer(input: TurnInput, request: ModelRequest, draft: Draft): Promise<Answer> {
  const { model, output, signal } = input;
  let inputs = new CallInputs(input);
  let shown = false;
  draft.text = "";
  for await (const event of model.stream(request, signal)) {
    switch (event.type) {
      case "text":
        draft.text += event.text;
        await output.say(event.text);
        break;
      case "reasoning":
        await output.think(event.text);
        break;
      case "tool_input_start":
        inputs.begin(event.id, event.name);
        break;
      case "tool_input_delta":
        inputs.append(event.id, event.text);
        break;
      case "tool_call":
        inputs.complete(event);
        break;
      case "retry":
        if (shown) output.note(`${event.reason} What it said so far does not count; asking again.`);
        else if (event.waitMs > longPauseMs) {
          output.note(`${event.reason} Asking again in ${Math.round(event.waitMs / 1000)} seconds.`);
        }
        inputs.abandon("The model's answer broke off.");
        inputs = new CallInputs(input);
        draft.text = "";
        shown = false;
        continue;
      case "finish":
        if (event.usage !== null) output.used(event.usage, model);
        return { reason: event.reason, message: event.message, calls: inputs.calls };
    }
    shown = true;
    signal.throwIfAborted();
  }
  throw new Error(`${model.provider} ended its answer without saying why`);
}

/** Small inputs are shown as they grow; of large ones ever larger steps, so that showing them costs little more than the input itself. */
const firstStep = 40;

interface OpenInput {
  readonly pending: PendingToolCall;
  text: string;
  nextShow: number;
}

/** The calls of one answer, shown from their first letter on. */
class CallInputs {
  readonly calls: AskedCall[] = [];
  readonly #input: TurnInput;
  readonly #open = new Map<string, OpenInput>();

  constructor(input: TurnInput) {
    this.#input = input;
  }

  begin(id: string, name: string): OpenInput {
    const { tools, output, signal } = this.#input;
    const kind = tools().find((tool) => tool.name === name)?.kind;
    const pending = output.tracker.announce({ name, id, signal, ...(kind !== undefined && { kind }) });
    const opened = { pending, text: "", nextShow: firstStep };
    this.#open.set(id, opened);
    return opened;
  }

  append(id: string, text: string): void {
    const opened = this.#open.get(id);
    if (opened === undefined) return;
    opened.text += text;
    if (opened.text.length < opened.nextShow) return;
    opened.nextShow = opened.text.length * 2;
    const soFar = readPartialJson(opened.text);
    if (soFar !== undefined) opened.pending.input(soFar);
  }

  complete({ id, name, input, invalid }: Extract<ModelEvent, { type: "tool_call" }>): void {
    const { pending } = this.#open.get(id) ?? this.begin(id, name);
    this.calls.push({ id, name, input, invalid, pending });
  }

  /** Ends what was announced and will not come. */
  abandon(why: string): void {
    for (const { pending } of this.#open.values()) pending.cancel(why);
  }
}

/** JSON that is still being written, as far as it is there. Undefined while there is nothing to show. For showing, never for running. */
export function readPartialJson(text: string): unknown {
  try {
    // A number at the end may go on.
    return parse(text, Allow.STR | Allow.OBJ | Allow.ARR);
  } catch {
    return undefined;
  }
}
