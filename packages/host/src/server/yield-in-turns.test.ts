import { expect, it } from "vitest";
import { yieldInTurns } from "./yield-in-turns.ts";

async function* slowPieces(count: number): AsyncGenerator<number> {
  for (let index = 0; index < count; index++) {
    for (const end = performance.now() + 2; performance.now() < end; );
    yield index;
  }
}

it("others get their turn while a long answer is made, and it is whole", async () => {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const pieces: number[] = [];
  for await (const piece of yieldInTurns(slowPieces(30))) pieces.push(piece);
  isDone = true;
  expect(pieces).toEqual(Array.from({ length: 30 }, (_, index) => index));
  expect(turns).toBeGreaterThanOrEqual(3);
});
