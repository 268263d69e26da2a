import type { Json } from "@signalbox/protocol";
import { expect, it } from "vitest";
import { redacted } from "./redacted.ts";

it.each<readonly [Json, Json]>([
  [{ apiKey: "0123456789" }, { apiKey: "***" }],
  [{ auth: { kind: "basic", parts: ["user-1", "word-1"] } }, { auth: { kind: "***", parts: ["***", "***"] } }],
  [["curl -H 'Authorization: Bearer abcdef'"], ["curl -H 'Authorization: ***'"]],
  [
    { sessionId: "s-1", tokens: 12, on: true, none: null },
    { sessionId: "s-1", tokens: 12, on: true, none: null },
  ],
])("%j is recorded as %j", (value, recorded) => {
  expect(redacted(value)).toEqual(recorded);
});
