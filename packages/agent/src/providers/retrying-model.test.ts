import { expect, it } from "vitest";
import type { Model, ModelEvent, ModelRequest } from "./model.ts";
import { ProviderError } from "./provider-error.ts";
import { retrying } from "./retrying-model.ts";

const { signal } = new AbortController();

/** The waits until it gives up, and why it does. */
async function giveUp(error: ProviderError) {
  const waits: number[] = [];
  async function* fail(): AsyncIterable<ModelEvent> {
    yield* [];
    throw error;
  }
  const model = retrying({ provider: "anthropic", stream: fail } as unknown as Model, 0.005);
  try {
    for await (const event of model.stream({} as ModelRequest, signal))
      if (event.type === "retry") waits.push(event.waitMs);
  } catch (reason) {
    return { waits, message: (reason as Error).message };
  }
  throw new Error("It did not give up.");
}

it("keeps the pause that a provider asks for, but waits longer and longer for one that always asks for a short one", async () => {
  const { waits, message } = await giveUp(new ProviderError("unavailable", "anthropic answered 529: Overloaded.", 0));
  expect(waits).toHaveLength(13);
  expect(waits.slice(0, 3)).toEqual([0, 0, 0]);
  // Each pause is half as long as the next, give or take a quarter.
  expect(waits[12]).toBeGreaterThan((waits[3] ?? 0) * 100);
  expect(message).toBe("anthropic answered 529: Overloaded. It was asked 14 times; try again later.");
});

it("gives up sooner where there is no connection", async () => {
  expect((await giveUp(new ProviderError("unreachable", "No connection."))).waits).toHaveLength(7);
});

it("asks once where that cannot help, and says nothing of tries", async () => {
  expect(await giveUp(new ProviderError("unauthorized", "No."))).toEqual({ waits: [], message: "No." });
  expect(await giveUp(new ProviderError("rate_limited", "Later.", 600_000))).toEqual({ waits: [], message: "Later." });
});

it("compacts a conversation that does not fit, once, and drops the answer so far", async () => {
  const asked: string[] = [];
  async function* stream({ system }: ModelRequest): AsyncIterable<ModelEvent> {
    asked.push(system);
    yield { type: "text", text: "so far" };
    if (system !== "fits") throw new ProviderError("context_overflow", "prompt is too long");
    yield { type: "finish", reason: "stop", usage: null, message: [] };
  }
  const model = retrying({ provider: "anthropic", stream } as unknown as Model);
  const ask = async (compacted: string) => {
    const recovery = {
      compact: async () => ({ system: compacted }) as ModelRequest,
      replaceContent: () => undefined,
    };
    const events: string[] = [];
    for await (const { type } of model.stream({ system: "long", recovery } as unknown as ModelRequest, signal))
      events.push(type);
    return events;
  };
  expect(await ask("fits")).toEqual(["text", "restart", "text", "finish"]);
  await expect(ask("still long")).rejects.toThrow("prompt is too long");
  expect(asked).toEqual(["long", "fits", "long", "still long"]);
});
