import { expect, it } from "vitest";
import type { Model, ModelRequest } from "./model.ts";
import { readOutputLimit } from "./output-limit.ts";
import { ProviderError } from "./provider-error.ts";
import { retrying } from "./retrying-model.ts";

it.each([
  ["max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for claude-x", 64_000],
  ["max_tokens is too large: 128000. This model supports at most 16384 completion tokens, whereas you …", 16_384],
  ["The maximum tokens you requested exceeds the model limit of 8192. Try again with a lower value.", 8192],
  ["`max_tokens` must be less than or equal to `32768`, the maximum value for `max_tokens` is less …", 32_768],
  ["Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", 8192],
  [
    "it has a maxOutputTokens value of 128000 but the supported range is from 1 (inclusive) to 65537 (exclusive).",
    65_536,
  ],
  ["This model's maximum context length is 8192 tokens and your request has 2000 input tokens (16384 > 6192).", 6192],
  ["maximum context length is 8192 tokens. However, you requested 20384 tokens (4000 in the messages, …)", 4192],
  ["This model's maximum context length is 8192 tokens and your request has 8000 input tokens", undefined],
  ["prompt is too long: 210000 tokens > 200000 maximum", undefined],
  ["messages.3: tool_use ids must be unique", undefined],
])("%s", (message, limit) => expect(readOutputLimit(message)?.tokens).toBe(limit));

it("a model that allows a shorter answer is asked again with that limit, once for the session", async () => {
  const asked: number[] = [];
  const model = {
    provider: "own",
    stream: async function* ({ maxOutputTokens }: ModelRequest) {
      asked.push(maxOutputTokens);
      if (maxOutputTokens > 8192) throw new ProviderError("bad_request", "the valid range of max_tokens is [1, 8192]");
      yield { type: "finish", reason: "stop" };
    },
  } as unknown as Model;
  const careful = retrying(model);
  const { signal } = new AbortController();
  for (let count = 0; count < 2; count++) {
    for await (const event of careful.stream({ maxOutputTokens: 16_384 } as ModelRequest, signal))
      expect(event).toEqual({ type: "finish", reason: "stop" });
  }
  expect(asked).toEqual([16_384, 8192, 8192]);
});

it("what a long request leaves of the window is no limit for a shorter one", async () => {
  const asked: number[] = [];
  const window = "This model's maximum context length is 8192 tokens and your request has 6000 input tokens";
  const model = {
    provider: "own",
    stream: async function* ({ maxOutputTokens, system }: ModelRequest) {
      asked.push(maxOutputTokens);
      if (system === "long" && maxOutputTokens > 2192) throw new ProviderError("context_overflow", window);
      yield { type: "finish", reason: "stop" };
    },
  } as unknown as Model;
  const careful = retrying(model);
  const { signal } = new AbortController();
  for (const system of ["long", "short"]) {
    for await (const event of careful.stream({ maxOutputTokens: 4000, system } as ModelRequest, signal))
      expect(event).toEqual({ type: "finish", reason: "stop" });
  }
  expect(asked).toEqual([4000, 2192, 4000]);
});
