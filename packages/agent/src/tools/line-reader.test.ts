import { expect, it } from "vitest";
import { LineReader } from "./line-reader.ts";

const push = (reader: LineReader, text: string) => reader.push(Buffer.from(text));

it("gives lines whole, however they come, and what follows the last one at the end", () => {
  const reader = new LineReader();
  expect(push(reader, "a")).toEqual([]);
  expect(push(reader, "b\n\n  \ncd\r\ne")).toEqual([
    { type: "line", text: "ab" },
    { type: "line", text: "cd" },
  ]);
  expect(reader.end()).toEqual([{ type: "line", text: "e" }]);
});

it("reports a line that is too long as soon as it is, once, and goes on with the next", () => {
  const reader = new LineReader(4);
  expect(push(reader, "1234")).toEqual([]);
  expect(push(reader, "5")).toEqual([{ type: "too_long", start: "12345" }]);
  expect(push(reader, "6789")).toEqual([]);
  expect(push(reader, "0\nnext\nlonger\n")).toEqual([
    { type: "line", text: "next" },
    { type: "too_long", start: "longer" },
  ]);
  expect(reader.end()).toEqual([]);
});
