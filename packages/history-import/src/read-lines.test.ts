import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@signalbox/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readJsonLines } from "./read-lines.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-lines-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function read(text: string) {
  const file = join(folder, "lines");
  writeFileSync(file, text);
  const lines: JsonObject[] = [];
  for await (const line of readJsonLines(file)) lines.push(line);
  return lines;
}

it("gives the objects of a file, whatever else is between them", async () => {
  const odd = "a\u2028b\u2029c\u0085d";
  expect(await read(`{"a":1}\r\n\nnonsense\n[1]\n{"odd":"${odd}"}\n{"last":true}`)).toEqual([
    { a: 1 },
    { odd },
    { last: true },
  ]);
});

it("leaves out a last line that is half written, and reads lines longer than a piece of the file", async () => {
  const long = "ä".repeat(400_000);
  expect(await read(`{"long":"${long}"}\n{"half":`)).toEqual([{ long }]);
  expect(await read("")).toEqual([]);
});
