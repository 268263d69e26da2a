// One turn: infer, execute, feed back, repeat, until the model has nothing more to do, a limit is reached or the turn is cancelled.
// It says truly why it ended, and leaves a history that any provider takes.
import type { StopReason } from "@agentclientprotocol/sdk";
import type { ModelRequest, ToolResultPart } from "../providers/model.ts";
import { ProviderError } from "../providers/provider-error.ts";
import { originOf } from "../providers/sdk-model.ts";
import { runCalls } from "./executor.ts";
import { notRun } from "./history.ts";
import { type Answer, type Draft, infer } from "./inference.ts";
import { toModelTool } from "./model-tools.ts";
import { RepetitionGuard } from "./repetition.ts";
import type { AskedCall, TurnInput } from "./turn.ts";
import { windowOf } from "./usage.ts";

/** How full the model's window may get before room is made. */
const fullAt = 0.8;
/** The most of a window that one answer may take. */
const answerPart = 0.25;

/** The user's message is in the history already. Throws what a provider throws when nothing more can be done. */
export async function runTurn(input: TurnInput): Promise<StopReason> {
  const { limits, output, history, signal } = input;
  const before = history.messages.slice(0, -1);
  const circles = new RepetitionGuard(input.tools);
  let toldOfPrice = false;
  for (let requests = 0; ; requests++) {
    if (signal.aborted) return "cancelled";
    if (requests >= limits.maxTurns) {
      output.note(`Stopped after ${limits.maxTurns} requests to the model. Say "go on" to continue.`);
      return "max_turn_requests";
    }
    if (limits.budgetUsd !== undefined) {
      const cost = output.cost();
      if (cost === null && !toldOfPrice) {
        output.note(
          `The budget of $${limits.budgetUsd} cannot be kept: the price of ${input.model.name} is not known.`,
        );
        toldOfPrice = true;
      }
      if (cost !== null && cost >= limits.budgetUsd) {
        output.note(`Stopped: this session has used its budget of $${limits.budgetUsd}.`);
        return "max_turn_requests";
      }
    }
    const answer = await ask(input);
    if (answer === "cancelled") return "cancelled";
    switch (answer.reason) {
      case "stop":
        return "end_turn";
      case "max_tokens":
        giveBack(input, answer.calls, "Not run: the answer was cut off at the limit of output tokens.");
        return "max_tokens";
      case "refusal":
        giveBack(input, answer.calls, "Not run: the answer was stopped.");
        // As ACP says: what was refused is not part of the next prompt.
        history.replace(before);
        return "refusal";
      case "tool_calls": {
        // Some models say so and call nothing.
        if (answer.calls.length === 0) return "end_turn";
        const circle = answer.calls.find((call) => circles.isCircle(call));
        if (circle !== undefined) {
          giveBack(input, answer.calls, "Not run: the same call was made three times in a row.");
          output.note(`Stopped: the model called ${circle.name} three times in a row with the same input.`);
          return "max_turn_requests";
        }
        if (!(await execute(input, answer.calls))) return "cancelled";
      }
    }
  }
}

async function ask(input: TurnInput): Promise<Answer | "cancelled"> {
  const { model, history, output, signal, compact } = input;
  const draft: Draft = { text: "" };
  try {
    if (output.contextTokens() > roomIn(input)) await compact(signal);
    const answer = await inferOrCompact(input, draft);
    const origin = originOf(model.provider, model.name);
    if (answer.message.length > 0) history.append({ role: "assistant", content: answer.message, origin });
    return answer;
  } catch (error) {
    if (!signal.aborted) throw error;
    if (draft.text !== "") history.append({ role: "assistant", content: [{ type: "text", text: draft.text }] });
    return "cancelled";
  }
}

/** What did not fit, against all estimates, may fit when there is room. */
async function inferOrCompact(input: TurnInput, draft: Draft): Promise<Answer> {
  try {
    return await infer(input, requestFor(input), draft);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.code !== "context_overflow") throw error;
    await input.compact(input.signal);
    return await infer(input, requestFor(input), draft);
  }
}

function requestFor(input: TurnInput): ModelRequest {
  const { system, history, tools, thinking } = input;
  const { messages } = history;
  return { system, messages, tools: tools().map(toModelTool), maxOutputTokens: answerTokens(input), thinking };
}

/** What the conversation may take, so that the answer has its place too. */
function roomIn(input: TurnInput): number {
  const window = windowOf(input.model);
  return Math.min(window * fullAt, window - answerTokens(input));
}

function answerTokens({ model, maxOutputTokens }: TurnInput): number {
  return Math.min(maxOutputTokens, Math.floor(windowOf(model) * answerPart));
}

/** False when the turn was cancelled; then, too, every call has a result. */
async function execute(input: TurnInput, calls: readonly AskedCall[]): Promise<boolean> {
  const { history, signal } = input;
  // By call and not by id: some servers give all calls of an answer the same one.
  const results = new Map<AskedCall, ToolResultPart>();
  try {
    await runCalls(calls, input, (call, result) => results.set(call, result));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  const all = calls.map((call) => results.get(call) ?? notRun(call.id, call.name, "Cancelled by the user."));
  history.append({ role: "tool", results: all });
  return !signal.aborted;
}

/** Every call that was asked for gets an answer, also one that is not run. */
function giveBack({ history }: TurnInput, calls: readonly AskedCall[], why: string): void {
  if (calls.length === 0) return;
  for (const { pending } of calls) pending.fail(why);
  history.append({ role: "tool", results: calls.map(({ id, name }) => notRun(id, name, why)) });
}
