import type { Json } from "@signalbox/protocol";
import { shortenTexts } from "@signalbox/tinyvex";
import { expect, it } from "vitest";
import { redactValue } from "./redact-value.ts";

it.each<readonly [Json, Json]>([
  [{ apiKey: "0123456789" }, { apiKey: "***" }],
  [{ auth: { kind: "basic", parts: ["user-1", "word-1"] } }, { auth: { kind: "***", parts: ["***", "***"] } }],
  [["curl -H 'Authorization: Bearer abcdef'"], ["curl -H 'Authorization: ***'"]],
  [
    { sessionId: "s-1", tokens: 12, on: true, none: null },
    { sessionId: "s-1", tokens: 12, on: true, none: null },
  ],
])("%j is recorded as %j", (value, recorded) => {
  expect(redactValue(value)).toEqual(recorded);
});

it.each(["sk-0123456789abcdef0123", `token=${"x".repeat(30)}`])(
  "%s is not left by half where a long text ends",
  (secret) => {
    const before = "a ".repeat(32 * 1024 - 4);
    const endOf = (text: string) => (redactValue(shortenTexts(text)) as string).slice(65_000);
    expect(endOf(`${before}${secret} ${"b ".repeat(10_000)}`)).toMatch(/^[a ]+(token= )?\S+ more characters\]$/);
    expect(endOf("a".repeat(70_000))).toMatch(/^a{536} \[4464 more characters\]$/);
  },
);
