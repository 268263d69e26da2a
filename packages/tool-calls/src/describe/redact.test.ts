import { expect, it } from "vitest";
import { redactText } from "./redact.ts";

it.each([
  ["API_KEY=abc", "API_KEY=***"],
  ["my-api-token: abc def", "my-api-token: *** def"],
  ["run --password hunter2 now", "run --password *** now"],
  ["the token is here", "the token is here"],
  ["foo API_KEY=abc", "foo API_KEY=***"],
  ["https://me:pw@host/x", "https://***@host/x"],
])("%j becomes %j", (text, expected) => expect(redactText(text)).toBe(expected));

it.each(["keykeykey", "_token", "A_KEY", "token-", "eyJ"])("is quick with %j a hundred thousand times", (text) => {
  const start = performance.now();
  redactText(text.repeat(100_000));
  expect(performance.now() - start).toBeLessThan(1500);
});
