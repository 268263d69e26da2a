import { expect, it } from "vitest";
import { explainError } from "./explain-error.ts";

const facts = { provider: "p", model: "m", keyVariable: "P_KEY" };

const noCredit =
  "This account has no credit left, or its limit is used up: add credit there, or choose another provider.";

it.each([
  [429, { error: { message: "You exceeded your current quota.", type: "insufficient_quota" } }, "no_credit"],
  [429, { error: { message: "Hard limit.", code: "billing_hard_limit_reached" } }, "no_credit"],
  [400, { error: { message: "Your credit balance is too low to access the API.", type: "invalid" } }, "no_credit"],
  [402, { error: { message: "Insufficient credits", code: 402 } }, "no_credit"],
  [
    429,
    { error: { message: "Quota exceeded: GenerateRequestsPerDayPerProject", status: "RESOURCE_EXHAUSTED" } },
    "no_credit",
  ],
  [
    429,
    { error: { message: "You exceeded your current quota, retry in 7s.", status: "RESOURCE_EXHAUSTED" } },
    "rate_limited",
  ],
  [429, { error: { message: "Too many requests", type: "requests" } }, "rate_limited"],
])("%i with %j is %s; an account without credit is not asked again", (statusCode, body, code) => {
  const error = explainError({ statusCode, message: "x", responseBody: JSON.stringify(body) }, facts);
  expect(error.code).toBe(code);
  expect(error.retryable).toBe(code === "rate_limited");
  if (code === "no_credit") expect(error.message).toContain(noCredit);
});

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
