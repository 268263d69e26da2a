// Runs one turn: ask the model, run its tool calls, send the results back, repeat; until the model is done, a limit is reached or the turn is
// cancelled. The stop reason is the true one, and the history is valid for every provider.
import type { StopReason } from "@agentclientprotocol/sdk";
import { z } from "zod";
import type { AssistantPart, ModelRequest, ModelTool, ToolResultPart } from "../providers/model.ts";
import { ProviderError } from "../providers/provider-error.ts";
import { decideAfterEmptyAnswer } from "../providers/retry-policy.ts";
import { nameOrigin } from "../providers/sdk-model.ts";
import type { Tool } from "../tools/tool.ts";
import { runCalls } from "./executor.ts";
import { fitContent } from "./fit-content.ts";
import { type History, notRun } from "./history.ts";
import { type Answer, type Draft, infer } from "./inference.ts";
import { withoutRefused } from "./refused-content.ts";
import { RepetitionGuard, repetitionHint } from "./repetition-guard.ts";
import type { AskedCall, Turn } from "./turn.ts";
import { chooseWindow } from "./usage.ts";
import { explainWrittenCalls, findWrittenCall, tellToCall } from "./written-call.ts";

/** The part of the model's window that the conversation may fill before it is compacted. */
const maxContextPart = 0.8;
/** The part of the window that one answer may take. */
const maxAnswerPart = 0.25;

/** The user's message is already in the history. Throws a ProviderError that no retry can solve. */
export async function runTurn(turn: Turn): Promise<StopReason> {
  const { model, limits, output, signal } = turn;
  const { history, steering } = turn.conversation;
  const { workspace, list } = turn.tools;
  const before = history.messages.slice(0, -1);
  const repetition = new RepetitionGuard(list);
  let isPriceNoticeShown = false;
  let emptyAnswers = 0;
  let writtenCalls = 0;
  let hasWorked = false;
  for (let requests = 0; ; requests++) {
    if (signal.aborted) return "cancelled";
    if (requests >= limits.max_turns) {
      output.showNotice(`Stopped after ${limits.max_turns} requests to the model. Say "go on" to continue.`);
      return "max_turn_requests";
    }
    if (limits.budget_usd !== undefined) {
      const cost = output.cost();
      if (cost === null && !isPriceNoticeShown) {
        output.showNotice(
          `The budget of $${limits.budget_usd} cannot be kept: the price of ${model.name} is not known.`,
        );
        isPriceNoticeShown = true;
      }
      if (cost !== null && cost >= limits.budget_usd) {
        output.showNotice(`Stopped: this session has used its budget of $${limits.budget_usd}.`);
        return "max_turn_requests";
      }
    }
    for (const content of steering.removeAll())
      history.append({ role: "user", content: await fitContent(content, { model, signal, workspace }) });
    const answer = await ask(turn);
    if (answer === "cancelled") return "cancelled";
    const isSilent = !saysSomething(answer.message);
    hasWorked ||= !isSilent;
    // Some models give `tool_calls` as the reason and call nothing.
    switch (answer.reason === "tool_calls" && answer.calls.length === 0 ? "stop" : answer.reason) {
      case "stop": {
        const written = findWrittenCall(answer.message, list());
        if (written !== undefined) {
          if (++writtenCalls > 1) throw new ProviderError("broken_stream", explainWrittenCalls(model.name));
          history.append({ role: "user", content: [{ type: "text", text: tellToCall(written) }] });
          continue;
        }
        if (!steering.closeIfEmpty()) continue;
        if (!isSilent) return "end_turn";
        steering.open();
        const step = decideAfterEmptyAnswer(model.name, ++emptyAnswers, hasWorked);
        if (step.type === "repeat") continue;
        if (step.type === "give_up") throw step.error;
        output.showNotice(step.notice);
        return "end_turn";
      }
      case "max_tokens":
        refuseCalls(history, answer.calls, "Not run: the answer was truncated at the limit of output tokens.");
        return "max_tokens";
      case "refusal":
        refuseCalls(history, answer.calls, "Not run: the answer was stopped.");
        // ACP: a refused prompt is not part of the next request.
        history.replace(before);
        return "refusal";
      case "tool_calls": {
        const judged = answer.calls.map((call) => ({ call, verdict: repetition.judge(call) }));
        const endless = judged.find(({ verdict }) => verdict === "end");
        if (endless !== undefined) {
          refuseCalls(history, answer.calls, "Not run: this call was made again and again with the same result.");
          output.showNotice(
            `Stopped: the model called ${endless.call.name} again and again with the same input and the same result.`,
          );
          return "max_turn_requests";
        }
        const repeated = new Set(judged.flatMap(({ call, verdict }) => (verdict === "refuse" ? [call] : [])));
        if (!(await execute(turn, answer.calls, repeated, repetition))) return "cancelled";
      }
    }
  }
}

/** A thought alone is no answer, and no provider takes a conversation that ends with one. */
function saysSomething(message: readonly AssistantPart[]): boolean {
  return message.some((part) => part.type === "tool_call" || (part.type === "text" && part.text.trim() !== ""));
}

async function ask(turn: Turn): Promise<Answer | "cancelled"> {
  const { model, output, signal } = turn;
  const { history, compact } = turn.conversation;
  const draft: Draft = { text: "" };
  try {
    if (output.contextTokens() > maxContextTokens(turn)) await compact(signal);
    const answer = await infer(turn, createRequest(turn), draft);
    const origin = nameOrigin(model.provider, model.name);
    if (saysSomething(answer.message)) history.append({ role: "assistant", content: answer.message, origin });
    return answer;
  } catch (error) {
    if (!signal.aborted) throw error;
    if (draft.text !== "") history.append({ role: "assistant", content: [{ type: "text", text: draft.text }] });
    return "cancelled";
  }
}

function createRequest(turn: Turn): ModelRequest {
  const { history, compact } = turn.conversation;
  return {
    ...turn.request,
    messages: history.messages,
    tools: turn.tools
      .list()
      .filter(({ isUnlisted }) => isUnlisted !== true)
      .map(toModelTool),
    maxOutputTokens: answerTokens(turn),
    recovery: {
      compact: async () => {
        await compact(turn.signal);
        return createRequest(turn);
      },
      replaceContent: (reason) => {
        const replaced = withoutRefused(history.messages, reason);
        if (replaced === undefined) return undefined;
        history.replace(replaced.messages);
        return { request: createRequest(turn), what: replaced.what };
      },
    },
  };
}

/** The tokens that the conversation may have, so that the answer fits too. */
function maxContextTokens(turn: Turn): number {
  const window = chooseWindow(turn.model);
  return Math.min(window * maxContextPart, window - answerTokens(turn));
}

function answerTokens({ model, request }: Turn): number {
  return Math.min(request.maxOutputTokens, Math.floor(chooseWindow(model) * maxAnswerPart));
}

/** False when the turn was cancelled. Every call has a result in both cases. */
async function execute(
  turn: Turn,
  calls: readonly AskedCall[],
  repeated: ReadonlySet<AskedCall>,
  repetition: RepetitionGuard,
): Promise<boolean> {
  const { signal } = turn;
  const { history } = turn.conversation;
  // By call and not by id: some servers give all calls of an answer the same id.
  const results = new Map<AskedCall, ToolResultPart>();
  for (const call of repeated) {
    call.pending.fail(repetitionHint);
    results.set(call, notRun(call.id, call.name, repetitionHint));
  }
  const others = calls.filter((call) => !repeated.has(call));
  try {
    await runCalls(others, turn, (call, result) => results.set(call, result));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  const all = calls.map((call) => results.get(call) ?? notRun(call.id, call.name, "Cancelled by the user."));
  for (const [index, call] of calls.entries()) if (!repeated.has(call)) repetition.record(call, all[index]?.content);
  history.append({ role: "tool", results: all });
  return !signal.aborted;
}

/** Ends calls that do not run. The model gets a result for each of them. */
function refuseCalls(history: History, calls: readonly AskedCall[], why: string): void {
  if (calls.length === 0) return;
  for (const { pending } of calls) pending.fail(why);
  history.append({ role: "tool", results: calls.map(({ id, name }) => notRun(id, name, why)) });
}

/** The schema of a tool never changes, and making it from zod takes time. */
const modelTools = new WeakMap<Tool, ModelTool>();

export function toModelTool(tool: Tool): ModelTool {
  const known = modelTools.get(tool);
  if (known !== undefined) return known;
  const { name, description, inputSchema = makeSchema(tool) } = tool;
  const made = { name, description, inputSchema };
  modelTools.set(tool, made);
  return made;
}

function makeSchema({ input }: Tool): object {
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: "input",
    override: ({ jsonSchema }) => shorten(jsonSchema),
  });
  return schema;
}

/** Limits that no model comes near cost tokens in every request; what breaks one is refused with words. */
function shorten(schema: z.core.JSONSchema.BaseSchema): void {
  delete schema.minLength;
  delete schema.maxLength;
  delete schema.minItems;
  delete schema.additionalProperties;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}
