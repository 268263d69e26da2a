import { afterEach, expect, it, vi } from "vitest";
import { TurnLimits } from "./turn-limits.ts";

afterEach(() => vi.useRealTimers());

it("a turn is cancelled when its time is over, once, with a reason; not when it ended before", () => {
  vi.useFakeTimers();
  const cancel = vi.fn();
  const limits = new TurnLimits(5, undefined);
  limits.begin(cancel);
  vi.advanceTimersByTime(4999);
  expect(limits.reached).toBeNull();
  vi.advanceTimersByTime(1);
  expect(limits.reached).toBe("The turn was cancelled after --timeout 5 seconds.");
  expect(cancel).toHaveBeenCalledTimes(1);
  const other = new TurnLimits(5, undefined);
  other.begin(cancel);
  other.end();
  vi.advanceTimersByTime(10_000);
  expect(other.reached).toBeNull();
});

it("a cost in another currency is not compared with the budget, and that is said", () => {
  const limits = new TurnLimits(undefined, 1);
  limits.spent({ amount: 100, currency: "EUR" });
  expect(limits.reached).toBeNull();
  expect(limits.unwatched).toContain("did not say");
  limits.spent({ amount: 0.1, currency: "USD" });
  expect(limits.unwatched).toBeNull();
});
