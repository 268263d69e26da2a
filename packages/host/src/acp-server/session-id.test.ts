import { expect, it } from "vitest";
import { withSessionId } from "./session-id.ts";

it("replaces the session id and leaves every other byte", () => {
  const cases: readonly (readonly [string, string])[] = [
    ['{"sessionId":"a","update":{"sessionId":"stays"}}', '{"sessionId":"T","update":{"sessionId":"stays"}}'],
    [
      '{ "x" : 1.0, "sessionId" : "a\\"b" , "y":[{"sessionId":"s"}] }',
      '{ "x" : 1.0, "sessionId" : "T" , "y":[{"sessionId":"s"}] }',
    ],
    [
      '{"text":"\\"sessionId\\":\\"a\\"","n":12345678901234567890}',
      '{"text":"\\"sessionId\\":\\"a\\"","n":12345678901234567890}',
    ],
    ['{"a":"sessionId","sessionId":"x"}', '{"a":"sessionId","sessionId":"T"}'],
    ["null", "null"],
    ["[]", "[]"],
  ];
  for (const [sent, expected] of cases) expect(withSessionId(sent, "T")).toBe(expected);
});

it("replaces every one of several, however the key is written: an agent reaches no other session", () => {
  const sent = '{"sessionId":"a","session\\u0049d":"another","sessionId":"third"}';
  expect(JSON.parse(withSessionId(sent, "T"))).toEqual({ sessionId: "T" });
  expect(withSessionId('{"sessionId":{"sessionId":"x"}}', "T")).toBe('{"sessionId":{"sessionId":"x"}}');
});
