import { expect, it } from "vitest";
import { diffLines } from "./line-diff.ts";

it("shows changed lines with three around them, and where the next change is", () => {
  const lines = Array.from({ length: 20 }, (_, index) => `${index + 1}\n`);
  const changed = lines.with(1, "two\n").with(18, "nineteen\n");
  const shown = diffLines(lines.join(""), changed.join("")).map(({ sign, text }) => sign + text);
  expect(shown).toEqual([
    " 1",
    "-2",
    "+two",
    " 3",
    " 4",
    " 5",
    "@line 16",
    " 16",
    " 17",
    " 18",
    "-19",
    "+nineteen",
    " 20",
  ]);
});

it("says so where there are too many changes, and shows all of them", () => {
  const many = (word: string) => Array.from({ length: 3000 }, (_, index) => `${word} ${index}\n`).join("");
  const [note, ...rest] = diffLines(`same\n${many("old")}`, `same\n${many("new")}`);
  expect(note).toMatchObject({ sign: "@", text: expect.stringContaining("too many changes") });
  expect(rest).toHaveLength(6001);
  expect(rest.at(-1)).toEqual({ sign: "+", text: "new 2999" });
});
