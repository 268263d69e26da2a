import { expect, it } from "vitest";
import { PromptQueue } from "./prompt-queue.ts";

const prompt = (text: string) => [{ type: "text", text }];

it("an edit changes the prompt alone: its model and what the client sent with it stay", () => {
  const more = { meta: { "editor/trace": "1" }, model: "big" };
  const queue = new PromptQueue([{ turnId: "held", prompt: prompt("a"), ...more }]);
  queue.add({ turnId: "next", prompt: prompt("b"), ...more });
  queue.edit("held", prompt("c"));
  queue.edit("next", prompt("d"));
  queue.release();
  expect([queue.shift(), queue.shift()]).toEqual([
    { turnId: "next", prompt: prompt("d"), ...more },
    { turnId: "held", prompt: prompt("c"), ...more },
  ]);
});
