import { describe, expect, it } from "vitest";
import { ProviderError, type ProviderErrorCode } from "./provider-error.ts";
import { decideAfterEmptyAnswer, decideRetry, type FailedRequest } from "./retry-policy.ts";

const first: FailedRequest = {
  model: { provider: "anthropic", name: "claude-x" },
  request: { maxOutputTokens: 16_384, thinking: "medium" },
  attempt: 1,
  firstPauseMs: 500,
  canCompact: true,
  canReplaceContent: true,
};

const tooLong = "the valid range of max_tokens is [1, 8192]";
const noThinking = "thinking: Extra inputs are not permitted";

describe("after a failure", () => {
  it.each<[ProviderErrorCode, string, Partial<FailedRequest>, object]>([
    ["bad_request", tooLong, {}, { type: "shorten_answer", maxOutputTokens: 8192, isOfModel: true }],
    ["bad_request", tooLong, { request: { maxOutputTokens: 8192, thinking: "off" } }, { type: "replace_content" }],
    ["bad_request", noThinking, {}, { type: "stop_thinking" }],
    ["bad_request", noThinking, { request: { maxOutputTokens: 1, thinking: "off" } }, { type: "replace_content" }],
    ["bad_request", "An image is broken.", {}, { type: "replace_content", reason: "An image is broken." }],
    ["bad_request", "No.", { canReplaceContent: false }, { type: "give_up" }],
    ["context_overflow", "prompt is too long", {}, { type: "compact" }],
    ["context_overflow", "prompt is too long", { canCompact: false }, { type: "give_up" }],
    ["unavailable", "Overloaded.", {}, { type: "wait", maxAttempts: 14 }],
    ["rate_limited", "Too many.", { attempt: 13 }, { type: "wait", maxAttempts: 14 }],
    ["rate_limited", "Too many.", { attempt: 14 }, { type: "give_up" }],
    ["unreachable", "No connection.", { attempt: 7 }, { type: "wait", maxAttempts: 8 }],
    ["broken_stream", "It broke off.", { attempt: 4 }, { type: "wait", maxAttempts: 5 }],
    ["stalled", "It stopped.", { attempt: 5 }, { type: "give_up" }],
    ["unauthorized", "The key is wrong.", {}, { type: "give_up" }],
    ["not_found", "No such model.", {}, { type: "give_up" }],
    ["misconfigured", "No key.", {}, { type: "give_up" }],
  ])("%s: %s %j", (code, message, failed, step) => {
    expect(decideRetry(new ProviderError(code, message), { ...first, ...failed })).toMatchObject(step);
  });

  it("pauses twice as long with every try, up to half a minute, give or take a quarter", () => {
    const error = new ProviderError("unavailable", "Overloaded.");
    for (const [attempt, usual] of [
      [1, 500],
      [2, 1000],
      [5, 8000],
      [13, 30_000],
    ] as const) {
      const step = decideRetry(error, { ...first, attempt });
      const waitMs = step.type === "wait" ? step.waitMs : Number.NaN;
      expect(waitMs).toBeGreaterThanOrEqual(usual * 0.75);
      expect(waitMs).toBeLessThanOrEqual(usual * 1.25);
    }
  });

  it("throws an error of ours as it is", () => {
    const error = new TypeError("x is not a function");
    expect(decideRetry(error, first)).toEqual({ type: "give_up", error });
  });
});

it("asks again after one empty answer; after two the turn ends, with an error if nothing was done", () => {
  expect(decideAfterEmptyAnswer("m", 1, false)).toEqual({ type: "repeat" });
  expect(decideAfterEmptyAnswer("m", 2, true)).toEqual({ type: "end", notice: "m said nothing more." });
  expect(decideAfterEmptyAnswer("m", 2, false)).toMatchObject({ type: "give_up" });
});
