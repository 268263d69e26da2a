import { SerialQueue } from "@signalbox/base";
import { ToolCallTracker } from "@signalbox/tool-calls";
import { describe, expect, it } from "vitest";
import type { ModelEvent, ModelMessage, ModelRequest } from "../providers/model.ts";
import type { Workspace } from "../tools/workspace.ts";
import { History } from "./history.ts";
import { Steering } from "./steering.ts";
import { runTurn } from "./turn-loop.ts";

const text = (words: string) => [{ type: "text", text: words }] as const;

/** Runs a turn whose model gives these answers; before each one ends, the person does something. */
async function run(
  ...answers: readonly { readonly says: string; readonly meanwhile?: (steering: Steering) => void }[]
) {
  const steering = new Steering();
  const asked: (readonly ModelMessage[])[] = [];
  const waiting = [...answers];
  async function* stream({ messages }: ModelRequest): AsyncGenerator<ModelEvent> {
    asked.push(messages);
    const { says = "", meanwhile } = waiting.shift() ?? {};
    meanwhile?.(steering);
    yield { type: "finish", reason: "stop", usage: null, message: text(says) };
  }
  steering.open();
  const stopReason = await runTurn({
    model: { provider: "p", name: "m", contextWindow: undefined, facts: {}, stream },
    request: { system: "", thinking: "off", maxOutputTokens: 1 },
    conversation: {
      history: new History([{ role: "user", content: text("begin") }], { appended: () => {}, replaced: () => {} }),
      steering,
      compact: async () => {},
    },
    tools: {
      list: () => [],
      workspace: { cwd: "/" } as Workspace,
      permissions: {
        decide: () => Promise.reject(new Error("no call")),
        forbids: () => null,
        asksAboutReading: () => false,
      },
      instructionsBelow: async () => "",
      changes: new SerialQueue(),
    },
    limits: { max_turns: 10, tool_timeout_s: 1 },
    output: {
      tracker: new ToolCallTracker({ client: { sessionUpdate: async () => {} }, sessionId: "s", cwd: "/" }),
      showText: () => undefined,
      showThought: () => undefined,
      showNotice: () => {},
      used: () => {},
      spent: () => {},
      cost: () => null,
      contextTokens: () => 0,
    },
    signal: new AbortController().signal,
  });
  return { stopReason, asked, steering };
}

describe("text into a running turn", () => {
  it("is read with the next request, also when the model was about to end the turn", async () => {
    const { stopReason, asked } = await run(
      { says: "done", meanwhile: (steering) => expect(steering.add(text("in French"))).toBe(true) },
      { says: "fini" },
    );
    expect(stopReason).toBe("end_turn");
    expect(asked.at(-1)?.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(asked.at(-1)?.at(-1)).toEqual({ role: "user", content: text("in French") });
  });

  it("is not accepted when the turn is over", async () => {
    const { asked, steering } = await run({ says: "done" });
    expect(asked).toHaveLength(1);
    expect(steering.add(text("too late"))).toBe(false);
  });
});
