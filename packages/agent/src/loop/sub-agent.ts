// Runs a sub-agent: a turn with a context of its own and the tools, permissions, budget and model of the turn that started it. Its tool calls name the
// call that started it, so that a client can show them below it.
import type { StopReason } from "@agentclientprotocol/sdk";
import type { ModelMessage } from "../providers/model.ts";
import { isForReading, type SubAgentRequest, type SubAgentResult } from "../tools/tool.ts";
import { compactHistory } from "./compaction.ts";
import { estimateText, estimateTokens } from "./estimate.ts";
import { History } from "./history.ts";
import { Steering } from "./steering.ts";
import type { Turn } from "./turn.ts";
import { runTurn } from "./turn-loop.ts";

/** Requests to the model. */
const maxRequests = 100;

const instructions = `# You are a sub-agent
Another agent gave you one piece of its work, and knows of you only what your last message says. The user does not read it and cannot answer. Do just what you were asked, then answer with what was found or done: facts, paths with line numbers, and what is not certain.`;

/** Tools that are the main agent's own: a plan is shown once, and sub-agents start no others. */
const notForSubAgents: ReadonlySet<string> = new Set(["task", "todo_write"]);

/** Throws where the turn of the main agent would: a ProviderError that no retry can solve, or the abort of the signal. */
export async function runSubAgent(
  parent: Turn,
  { prompt, readOnly, signal }: SubAgentRequest,
  toolCallId: string,
): Promise<SubAgentResult> {
  const { model, output, limits } = parent;
  const system = `${parent.request.system}\n\n${instructions}`;
  let counted: number | undefined;
  const history = new History([], {
    appended: () => {},
    replaced: () => {
      counted = undefined;
    },
  });
  history.append({ role: "user", content: [{ type: "text", text: prompt }] });
  const { cacheKey } = parent.request;
  const { runSubAgent: _none, ...tools } = parent.tools;
  const stopReason = await runTurn({
    model,
    signal,
    limits: { ...limits, max_turns: Math.min(maxRequests, limits.max_turns) },
    request: {
      ...parent.request,
      system,
      ...(cacheKey !== undefined && { cacheKey: `${cacheKey}-${toolCallId}`.slice(0, 64) }),
    },
    tools: {
      ...tools,
      list: () => tools.list().filter((tool) => !notForSubAgents.has(tool.name) && (isForReading(tool) || !readOnly)),
      // Instructions are given once, so they go to the agent that changes files there.
      instructionsBelow: readOnly ? async () => "" : tools.instructionsBelow,
    },
    output: {
      ...output,
      callMeta: { parentToolCallId: toolCallId },
      showText: () => undefined,
      showThought: () => undefined,
      showNotice: (text) => output.showNotice(`A sub-agent: ${text}`),
      used: (usage) => {
        counted = usage.inputTokens + usage.outputTokens;
        output.spent(usage, model);
      },
      contextTokens: () => Math.max(counted ?? 0, estimateText(system) + estimateAll(history.messages)),
    },
    conversation: {
      history,
      steering: new Steering(),
      compact: async (wanted) => {
        const done = await compactHistory(history.messages, model, wanted, { what: "older" });
        if (done === null) return;
        if (done.usage !== null) output.spent(done.usage, model);
        history.replace(done.messages);
      },
    },
  });
  signal.throwIfAborted();
  return { text: lastText(history.messages), problem: problems[stopReason] };
}

/** Why what it said may not be all; undefined where it is. */
const problems: Readonly<Partial<Record<StopReason, string>>> = {
  max_turn_requests:
    "It was stopped before its work was done: too many requests, repeated calls, or the budget is used.",
  max_tokens: "Its answer was truncated at the limit of output tokens.",
  refusal: "The provider refused its request.",
};

function estimateAll(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + estimateTokens(message), 0);
}

function lastText(messages: readonly ModelMessage[]): string {
  const last = messages.findLast(({ role }) => role === "assistant");
  if (last?.role !== "assistant") return "";
  return last.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
