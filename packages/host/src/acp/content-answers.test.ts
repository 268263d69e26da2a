import { expect, it } from "vitest";
import { ContentAnswers } from "./content-answers.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));

it("makes the next answer when the last was written, or failed", async () => {
  const answers = new ContentAnswers();
  const made: number[] = [];
  const ask = (id: number, fails = false) =>
    answers.make(id, async () => {
      made.push(id);
      if (fails) throw new Error("no");
      return id;
    });
  const asked = [ask(1), ask(2, true), ask(3), ask(4)].map((answer) => answer.catch(String));
  await settled();
  expect(made).toEqual([1]);
  answers.written(3);
  await settled();
  expect(made).toEqual([1]);
  answers.written(1);
  await settled();
  expect(made).toEqual([1, 2, 3]);
  answers.refuseWaiting(new Error("gone"));
  expect(await Promise.all(asked)).toEqual([1, "Error: no", 3, "Error: gone"]);
  expect(await ask(5)).toBe(5);
});
