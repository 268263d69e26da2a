// Wraps a model so that a request that fails is repeated as retry-policy.ts decides: after a pause, or changed. It is the only place that repeats one.
import { setTimeout as pause } from "node:timers/promises";
import type { Model, ModelEvent, ModelRequest } from "./model.ts";
import { ProviderError } from "./provider-error.ts";
import { decideRetry, defaultFirstPauseMs } from "./retry-policy.ts";

export function retrying(model: Model, firstPauseMs = defaultFirstPauseMs): Model {
  const learned: LearnedLimits = { maxOutputTokens: Number.POSITIVE_INFINITY, takesThinking: true };
  return { ...model, stream: (request, signal) => streamWithRetries(model, learned, firstPauseMs, request, signal) };
}

/** Limits that the model's refusals revealed, for all later requests. */
interface LearnedLimits {
  maxOutputTokens: number;
  takesThinking: boolean;
}

async function* streamWithRetries(
  model: Model,
  learned: LearnedLimits,
  firstPauseMs: number,
  original: ModelRequest,
  signal: AbortSignal,
): AsyncIterable<ModelEvent> {
  const { recovery } = original;
  let wanted = original;
  let request = applyLimits(learned, wanted);
  let hasCompacted = false;
  for (let attempt = 1; ; attempt++) {
    let hasBegun = false;
    try {
      for await (const event of model.stream(request, signal)) {
        yield event;
        hasBegun = true;
        if (event.type !== "finish") continue;
        if (request.thinking !== wanted.thinking) learned.takesThinking = false;
        return;
      }
      throw new ProviderError("broken_stream", `The answer of ${model.provider} ended before it was complete.`);
    } catch (error) {
      signal.throwIfAborted();
      const canCompact = recovery !== undefined && !hasCompacted;
      const canReplaceContent = recovery !== undefined;
      const step = decideRetry(error, { model, request, attempt, firstPauseMs, canCompact, canReplaceContent });
      switch (step.type) {
        case "wait":
          yield { ...step, type: "retry", attempt };
          await pause(step.waitMs, undefined, { signal });
          break;
        case "shorten_answer":
          if (hasBegun) yield { type: "restart" };
          if (step.isOfModel) learned.maxOutputTokens = step.maxOutputTokens;
          request = { ...wanted, maxOutputTokens: step.maxOutputTokens, thinking: request.thinking };
          break;
        case "stop_thinking":
          if (hasBegun) yield { type: "restart" };
          request = { ...request, thinking: "off" };
          yield { type: "notice", text: step.notice };
          break;
        case "compact":
          if (recovery === undefined) throw error;
          yield { type: "restart" };
          wanted = await recovery.compact();
          request = applyLimits(learned, wanted);
          hasCompacted = true;
          attempt = 0;
          break;
        case "replace_content": {
          const replaced = recovery?.replaceContent(step.reason);
          if (replaced === undefined) throw error;
          yield { type: "restart" };
          yield { type: "notice", text: `${step.reason} Trying again without ${replaced.what}.` };
          wanted = replaced.request;
          request = applyLimits(learned, wanted);
          hasCompacted = false;
          attempt = 0;
          break;
        }
        case "give_up":
          throw step.error;
      }
    }
  }
}

function applyLimits({ maxOutputTokens, takesThinking }: LearnedLimits, request: ModelRequest): ModelRequest {
  return {
    ...request,
    maxOutputTokens: Math.min(maxOutputTokens, request.maxOutputTokens),
    thinking: takesThinking ? request.thinking : "off",
  };
}
