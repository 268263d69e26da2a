// Lets everything else have its turn while a long answer is made: what is awaited only from the register takes none.
import { setImmediate } from "node:timers/promises";

const turnMs = 10;

export async function* yieldInTurns<Piece>(pieces: AsyncIterable<Piece>): AsyncGenerator<Piece> {
  let since = performance.now();
  for await (const piece of pieces) {
    yield piece;
    if (performance.now() - since < turnMs) continue;
    await setImmediate();
    since = performance.now();
  }
}
