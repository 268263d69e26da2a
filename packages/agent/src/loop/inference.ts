// Sends one request to the model, shows the answer while it arrives, and returns the whole answer.
import type { PendingToolCall } from "@signalbox/tool-calls";
import { Allow, parse } from "partial-json";
import type { AssistantPart, ModelEvent, ModelRequest } from "../providers/model.ts";
import { findTool } from "./find-tool.ts";
import { RetryCountdown } from "./retry-countdown.ts";
import type { AskedCall, Turn } from "./turn.ts";

export interface Answer {
  readonly reason: Extract<ModelEvent, { type: "finish" }>["reason"];
  readonly message: readonly AssistantPart[];
  readonly calls: readonly AskedCall[];
}

/** The text so far, for the history of a turn that is cancelled during an answer. */
export interface Draft {
  text: string;
}

/** A longer pause needs an explanation. */
const silentPauseMs = 2000;

/** The draft holds the text of the answer while it arrives. */
export async function infer(turn: Turn, request: ModelRequest, draft: Draft): Promise<Answer> {
  const { model, output, signal } = turn;
  let countdown: RetryCountdown | undefined;
  let inputs = new CallInputs(turn);
  let isShown = false;
  const discard = () => {
    inputs.abandon("The model's answer broke off.");
    inputs = new CallInputs(turn);
    draft.text = "";
    isShown = false;
  };
  draft.text = "";
  try {
    for await (const event of model.stream(request, signal)) {
      if (event.type !== "retry") countdown?.end(`${model.provider} answers.`);
      switch (event.type) {
        case "text":
          draft.text += event.text;
          await output.showText(event.text);
          break;
        case "reasoning":
          await output.showThought(event.text);
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
        case "notice":
          output.showNotice(event.text);
          continue;
        case "restart":
          discard();
          continue;
        case "retry":
          if (isShown) output.showNotice(`${event.reason} The answer so far does not count; asking again.`);
          else if (event.waitMs > silentPauseMs) {
            output.showNotice(describePause(event));
            countdown ??= new RetryCountdown(output.tracker, model.provider, signal);
            countdown.begin(event);
          }
          discard();
          continue;
        case "finish":
          if (event.usage !== null) output.used(event.usage, model);
          return { reason: event.reason, message: event.message, calls: inputs.calls };
      }
      isShown = true;
      signal.throwIfAborted();
    }
    throw new Error(`${model.provider} ended its answer without a reason`);
  } catch (error) {
    countdown?.fail(`${model.provider} did not answer.`);
    throw error;
  }
}

function describePause({ reason, waitMs, attempt, maxAttempts }: Extract<ModelEvent, { type: "retry" }>): string {
  return `${reason} Asking again in ${Math.round(waitMs / 1000)} seconds, try ${attempt + 1} of ${maxAttempts}.`;
}

/** An input is shown at this length and each time its length has doubled: showing it costs little more than the input itself. */
const firstShownLength = 40;

interface OpenInput {
  /** Undefined while it is not known which tool is meant. */
  readonly pending: PendingToolCall | undefined;
  text: string;
  nextShownLength: number;
}

/** The tool calls of one answer. Each is shown from its first letter on. */
class CallInputs {
  readonly calls: AskedCall[] = [];
  readonly #turn: Turn;
  readonly #open = new Map<string, OpenInput>();

  constructor(turn: Turn) {
    this.#turn = turn;
  }

  begin(id: string, name: string): OpenInput {
    const isPassedOn = findTool(this.#turn.tools.list(), name)?.resolveTarget !== undefined;
    const pending = isPassedOn ? undefined : this.#announce(id, name);
    const opened = { pending, text: "", nextShownLength: firstShownLength };
    this.#open.set(id, opened);
    return opened;
  }

  append(id: string, text: string): void {
    const opened = this.#open.get(id);
    if (opened === undefined) return;
    opened.text += text;
    if (opened.text.length < opened.nextShownLength) return;
    opened.nextShownLength = opened.text.length * 2;
    const soFar = readPartialJson(opened.text);
    if (soFar !== undefined) opened.pending?.input(soFar);
  }

  complete({ id, name, input, invalid }: Extract<ModelEvent, { type: "tool_call" }>): void {
    const opened = this.#open.get(id) ?? this.begin(id, name);
    const target = invalid === undefined ? findTool(this.#turn.tools.list(), name)?.resolveTarget?.(input) : undefined;
    const pending = opened.pending ?? this.#announce(id, target?.name || name);
    this.calls.push({ id, name, input, invalid, pending, ...(target !== undefined && { target }) });
  }

  /** Cancels the calls whose input will not arrive any more. */
  abandon(why: string): void {
    for (const { pending } of this.#open.values()) pending?.cancel(why);
  }

  /** Under the name of the tool that runs: the person is asked about that one. */
  #announce(id: string, name: string): PendingToolCall {
    const { tools, output, signal } = this.#turn;
    const tool = findTool(tools.list(), name);
    const known = tool === undefined ? { name } : { name: tool.name, kind: tool.kind };
    return output.tracker.announce({
      ...known,
      id,
      signal,
      ...(output.callMeta !== undefined && { meta: output.callMeta }),
    });
  }
}

/** JSON that is still being written, as far as it is there. Undefined while there is nothing to show. For showing, never for running. */
export function readPartialJson(text: string): unknown {
  try {
    // The library assigns a key `__proto__` to the prototype, where JSON.parse makes it a key.
    return JSON.parse(text);
  } catch {
    return readBeginning(text);
  }
}

function readBeginning(text: string): unknown {
  try {
    // A number at the end may go on.
    return parse(text, Allow.STR | Allow.OBJ | Allow.ARR);
  } catch {
    return undefined;
  }
}
