import { expect, it } from "vitest";
import { explainError } from "./explain-error.ts";

const facts = { provider: "p", model: "m", keyVariable: "P_KEY" };

it.each([
  [429, "rate limited", "p answered 429: rate limited."],
  [529, "Overloaded! ", "p answered 529: Overloaded!"],
  [401, "Wrong key.", "p answered 401: Wrong key. Check P_KEY, and that this key may use m."],
  [
    400,
    "max_tokens!",
    "p answered 400: max_tokens! Set providers.p.max_output_tokens in config.json to what m allows.",
  ],
  [400, "bad", "p answered 400: bad. Choose another model, or change what m is asked."],
])("what a provider says with %i is a sentence, and what to do follows it: %j", (statusCode, message, text) => {
  expect(explainError({ statusCode, message }, facts).message).toBe(text);
});
