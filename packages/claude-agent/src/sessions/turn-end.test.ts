import { describe, expect, it } from "vitest";
import type { TurnResult } from "../sdk/messages.ts";
import { deathError, turnEnd } from "./turn-end.ts";

const result = (rest: Partial<TurnResult>): TurnResult => ({
  type: "result",
  subtype: "success",
  isError: false,
  stopReason: "end_turn",
  terminalReason: "completed",
  apiStatus: null,
  text: "",
  promptIds: [],
  queuedPrompts: 0,
  costUsd: 0,
  contextWindow: null,
  ...rest,
});

describe("the end of a turn", () => {
  it.each([
    [{}, "end_turn"],
    [{ stopReason: null }, "end_turn"],
    [{ stopReason: "max_tokens" }, "max_tokens"],
    [{ stopReason: "refusal" }, "refusal"],
    [{ isError: true, subtype: "error_max_turns" }, "max_turn_requests"],
    [{ isError: true, subtype: "error_during_execution", terminalReason: "aborted_tools" }, "cancelled"],
  ])("%j is the stop reason %s", (rest, reason) => {
    expect(turnEnd(result(rest), null)).toBe(reason);
  });

  it.each([
    [{ text: "Not logged in · Please run /login" }, "authentication_failed", "not_logged_in", "/login"],
    [{ text: "Invalid API key", apiStatus: 401 }, "authentication_failed", "key_refused", "ANTHROPIC_API_KEY"],
    [{ text: "API Error: 529 Overloaded", apiStatus: 529 }, "server_error", "overloaded", "again in a few minutes"],
    [{ text: "429", apiStatus: 429 }, "rate_limit", "rate_limited", "Wait"],
    [{ text: "You've hit your session limit" }, "unknown", "rate_limited", "Wait"],
    [
      { text: "Prompt is too long", terminalReason: "prompt_too_long", apiStatus: 400 },
      "invalid_request",
      "context_full",
      "/compact",
    ],
    [{ text: "Credit balance is too low", apiStatus: 400 }, "billing_error", "no_credit", "Top it up"],
    [{ text: "no such model", apiStatus: 404 }, "model_not_found", "model_not_found", "Choose another"],
    [{ text: "" }, null, "model_failed", "again"],
    [{ text: "API Error: 500" }, "server_error", "model_failed", "API Error: 500"],
  ])("%j is an error that says what to do", (rest, kind, code, words) => {
    const end = () => turnEnd(result({ isError: true, terminalReason: "api_error", ...rest }), kind);
    expect(end).toThrow(words);
    expect(end).toThrow(expect.objectContaining({ code }));
  });

  it("of the program itself tells how it ended and what it said", () => {
    expect(deathError("signal SIGKILL", " out of memory\n").message).toBe(
      "Claude Code ended by itself (signal SIGKILL). The next prompt starts it again. It said: out of memory",
    );
  });
});
