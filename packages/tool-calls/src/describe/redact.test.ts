import { expect, it } from "vitest";
import { redactText } from "./redact.ts";

it.each([
  ["API_KEY=abc", "API_KEY=***"],
  ["my-api-token: abc def", "my-api-token: *** def"],
  ["run --password hunter2 now", "run --password *** now"],
  ["the token is here", "the token is here"],
  ["foo API_KEY=abc", "foo API_KEY=***"],
  ["https://me:pw@host/x", "https://***@host/x"],
  ['{"db_password": "hunter2", "name": "x"}', '{"db_password": "***", "name": "x"}'],
  [String.raw`{\"db_password\": \"hunter2\", \"name\": 1}`, String.raw`{\"db_password\": \"***\", \"name\": 1}`],
  ["Authorization: Bearer abcdef", "Authorization: ***"],
  ["token: Bearer abcdef", "token: *** ***"],
  ["a sk-abcdefghijklmnop b", "a *** b"],
  [
    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4\nMII\n-----END RSA PRIVATE KEY-----\n",
    "-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY-----\n",
  ],
  ["-----BEGIN PRIVATE KEY-----\nMIIabc", "-----BEGIN PRIVATE KEY-----***"],
  ["password=*** and https://***@host", "password=*** and https://***@host"],
])("%j becomes %j", (text, expected) => expect(redactText(text)).toBe(expected));

it.each(["keykeykey", "_token", "token-"])("takes little time for a name of 300 KB such as %s…", (part) => {
  const name = part.repeat(300_000 / part.length);
  const times = [1, 2, 3].map(() => {
    const start = performance.now();
    redactText(name);
    return performance.now() - start;
  });
  // The least of three: the machine may be busy.
  expect(Math.min(...times)).toBeLessThan(600);
});
