import { expect, it } from "vitest";
import type { Model, ModelEvent, ModelRequest } from "./model.ts";
import { ProviderError } from "./provider-error.ts";
import { retrying } from "./retrying-model.ts";
import { refusesThinking } from "./thinking-refused.ts";

it.each([
  ["output_config: Extra inputs are not permitted", true],
  ["thinking.adaptive: Input tag 'adaptive' found … is not valid", true],
  ["Unsupported parameter: 'reasoning_effort' is not supported with this model.", true],
  ['Unrecognized request argument supplied: "reasoning_effort"', true],
  ['"gemma3" does not support thinking', true],
  ['Invalid JSON payload received. Unknown name "thinkingConfig" at generation_config', true],
  ["max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens", false],
  ["tools.3.input_schema: Extra inputs are not permitted", false],
  ["messages.1.content.0: Invalid `signature` in `thinking` block", false],
  ["messages.3.content.0.thinking.signature: Extra inputs are not permitted", false],
  ["Item rs_1 of type reasoning was provided without its following item", false],
])("%s", (message, isRefused) => expect(refusesThinking(message)).toBe(isRefused));

const { signal } = new AbortController();
const wanted = { thinking: "medium", maxOutputTokens: 100 } as ModelRequest;

/** A model that refuses thinking, or everything, and how it was asked. */
function refusing(isDeaf: boolean) {
  const asked: string[] = [];
  const model = {
    provider: "gateway",
    name: "claude-x",
    stream: async function* ({ thinking }: ModelRequest) {
      asked.push(thinking);
      if (thinking !== "off" || isDeaf)
        throw new ProviderError("bad_request", "thinking: Extra inputs are not permitted");
      yield { type: "finish", reason: "stop" };
    },
  } as unknown as Model;
  return { asked, model: retrying(model) };
}

async function eventsOf(model: Model, request = wanted): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, signal)) events.push(event);
  return events;
}

it("a server that refuses thinking is asked without it, once and visibly; it stays so", async () => {
  const { asked, model } = refusing(false);
  expect(await eventsOf(model)).toMatchObject([
    { type: "notice", text: expect.stringContaining("gateway refused the thinking that claude-x was asked for") },
    { type: "finish" },
  ]);
  await eventsOf(model, { ...wanted, thinking: "off" });
  expect(await eventsOf(model)).toMatchObject([{ type: "finish" }]);
  expect(asked).toEqual(["medium", "off", "off", "off"]);
});

it("what is refused without thinking too is an error", async () => {
  const { asked, model } = refusing(true);
  await expect(eventsOf(model)).rejects.toThrow("Extra inputs");
  await expect(eventsOf(model)).rejects.toThrow("Extra inputs");
  expect(asked).toEqual(["medium", "off", "medium", "off"]);
});
