import fc from "fast-check";
import { expect, it } from "vitest";
import { rewriteStrings } from "./rewrite-strings.ts";

it("leaves every other byte as it was", () => {
  const json = '{ "big":12345678901234567890, "a b":[1.0,"x\\u0041",{"token" : "s"}], "t":"x" }';
  expect(rewriteStrings(json, (text) => text)).toBe(json);
  expect(rewriteStrings(json, (text, { field }) => (field === "token" && text === "s" ? "***" : text))).toBe(
    json.replace('"s"', '"***"'),
  );
});

it("knows the place of each string, and replaces whole objects", () => {
  const places: unknown[] = [];
  const json = '{"a":{"b/c":["x",{"$blob":"h","size":1}]},"key":"y"}';
  const rewritten = rewriteStrings(
    json,
    (text, { field, isKey, pointer }) => {
      places.push([text, field, isKey, pointer()]);
      return text;
    },
    new Map([["/a/b~1c/1", '{"$blob":"other","size":22}']]),
  );
  expect(rewritten).toBe('{"a":{"b/c":["x",{"$blob":"other","size":22}]},"key":"y"}');
  expect(places).toEqual([
    ["a", "a", true, "/a"],
    ["b/c", "b/c", true, "/a/b~1c"],
    ["x", "b/c", false, "/a/b~1c/0"],
    ["key", "key", true, "/key"],
    ["y", "key", false, "/key"],
  ]);
});

it("gives what changing the parsed value gives, for any value", () => {
  const change = (value: unknown): unknown => {
    if (typeof value === "string") return `${value}!`;
    if (Array.isArray(value)) return value.map(change);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [`${key}!`, change(field)]));
  };
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(JSON.parse(rewriteStrings(json, (text) => `${text}!`))).toEqual(change(JSON.parse(json)));
    }),
  );
});
