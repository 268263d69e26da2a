// The headers of ours beside the built-in ones: what the provider packages do with them has the same result.
import { expect, it } from "vitest";
import { PlainHeaders } from "./plain-headers.ts";

const repeated: [string, string][] = [
  ["Set-Thing", "1"],
  ["set-thing", "2"],
];

it.each<[Record<string, string> | [string, string][] | undefined]>([
  [undefined],
  [{ "X-Team": "a", "user-agent": "b" }],
  [repeated],
])("agree with the built-in ones about %j", (init) => {
  const [ours, theirs] = [new PlainHeaders(init), new Headers(init)].map((headers) => {
    headers.set("User-Agent", "me");
    headers.append("X-Team", "c");
    headers.delete("SET-NOTHING");
    return [Object.fromEntries(headers), headers.get("USER-agent"), headers.has("x-TEAM")];
  });
  expect(ours).toEqual(theirs);
});

it("leave out what is undefined, and take their own kind", () => {
  expect([...new PlainHeaders(new PlainHeaders({ a: "1", b: undefined }))]).toEqual([["a", "1"]]);
});
