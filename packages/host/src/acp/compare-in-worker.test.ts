// Much to compare is compared in a worker: with the same result, and the event loop goes on.
import { expect, it } from "vitest";
import { compareFiles } from "./compare-in-worker.ts";
import { describeChanges, type EditedFile } from "./describe-changes.ts";

const textOf = (count: number, name: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => `${name(index)}\n`).join("");

function rewritten(before: string, after: string): EditedFile {
  const edit = { path: "/a", before: null, after, isEverywhere: false, isDeletion: false };
  return { path: "/a", disk: { type: "text", bytes: Buffer.from(before) }, edits: [edit] };
}

it("gives the same as here, and other work goes on meanwhile", async () => {
  const files = [
    rewritten(
      textOf(15_000, (index) => `line ${index}`),
      textOf(15_000, (index) => `line ${index % 2 === 0 ? index : -index}`),
    ),
  ];
  const here = await describeChanges(files);
  let turns = 0;
  const count = () => {
    turns++;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const there = await compareFiles(files);
  clearImmediate(timer);
  expect(there).toEqual(here);
  expect(turns).toBeGreaterThan(100);
});

it("counts the lines of a change that is too big to be shown, and says so", async () => {
  const { hunks, allHunks } = await compareFiles([
    rewritten(
      textOf(5000, (index) => `before ${index} ${"x".repeat(1000)}`),
      textOf(5000, (index) => `after ${index} ${"x".repeat(1000)}`),
    ),
  ]);
  expect(hunks).toMatchObject([{ hunks: [], too_big: true, added: 5000, removed: 5000 }]);
  expect(allHunks).toBe(undefined);
});
