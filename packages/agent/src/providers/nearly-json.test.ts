import { describe, expect, it } from "vitest";
import { readToolInput } from "./nearly-json.ts";

describe("the input of a tool call", () => {
  it.each([
    ["", {}],
    ['{"command":"ls"}', { command: "ls" }],
    ['{"command":"echo a\necho\tb"}', { command: "echo a\necho\tb" }],
    ['{"text":"a\u0001b"}', { text: "a\u0001b" }],
    ['```json\n{"path":"a.ts"}\n```', { path: "a.ts" }],
    ['```\n{"path":"a.ts"}\n```\n', { path: "a.ts" }],
    ['{"a":[1,2,],}', { a: [1, 2] }],
    ['{"a":"keep ,] and ,} here","b":1,}', { a: "keep ,] and ,} here", b: 1 }],
    ['{"quote":"say \\"hi\\"\nand go"}', { quote: 'say "hi"\nand go' }],
    ['{"fence":"```js\ncode\n```"}', { fence: "```js\ncode\n```" }],
  ])("is read from %j", (text, input) => {
    expect(readToolInput(text)).toEqual({ input });
  });

  it.each([
    ['{"path": "a.ts', /position 14/],
    ["{'path': 'a.ts'}", /position 1/],
    ["ls -la", /'l'/],
  ])("is refused when it is %j, with the place of the error", (text, reason) => {
    expect(readToolInput(text)).toEqual({ input: {}, invalid: { text, reason: expect.stringMatching(reason) } });
  });

  it("takes little time where it is long and broken", () => {
    const text = `{"text":"${'a\\"\n'.repeat(200_000)}`;
    expect(readToolInput(text).invalid?.reason).toMatch(/control character/);
  });
});
