import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { CommitWindow } from "./commit-window.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** How many ms after the last of `entries` the next commit comes; the first one made a commit of its own. */
async function delayAfter(entries: number, isEager: boolean): Promise<number> {
  const commits: number[] = [];
  const window = new CommitWindow(
    () => commits.push(Date.now()),
    () => isEager,
  );
  window.open();
  await vi.advanceTimersByTimeAsync(0);
  for (let entry = 0; entry < entries; entry++) window.open();
  const at = Date.now();
  await vi.advanceTimersByTimeAsync(100);
  window.close();
  return (commits[1] ?? Number.NaN) - at;
}

it.each([
  // One entry, a brisk stream, and a flood.
  [1, 25],
  [50, 5],
  [500, 25],
])("%i entries after a commit are committed within %i ms", async (entries, ms) => {
  expect(await delayAfter(entries, false)).toBe(ms);
});

it.each([1, 2, 50, 500])("%i entries that a client waits for are committed within 2 ms", async (entries) => {
  expect(await delayAfter(entries, true)).toBe(2);
});

it("an entry after a pause is committed immediately, also where a client waits", async () => {
  const commit = vi.fn();
  const window = new CommitWindow(commit, () => true);
  window.open();
  await vi.advanceTimersByTimeAsync(3);
  window.open();
  await vi.advanceTimersByTimeAsync(0);
  expect(commit).toHaveBeenCalledTimes(2);
  window.close();
});
