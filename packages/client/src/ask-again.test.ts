import { type ErrorCode, HostError } from "@signalbox/protocol";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { askWhenOpen, mayPass, retryDelayMs } from "./ask-again.ts";
import { type ConnectionStatus, OfflineError } from "./host-connection.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A connection that a test opens and loses, and what is asked over it. */
function started() {
  const listeners: (() => void)[] = [];
  const connection = {
    status: "connecting" as ConnectionStatus,
    onStatus: (listener: () => void) => {
      listeners.push(listener);
      return () => {};
    },
  };
  const asked: PromiseWithResolvers<string>[] = [];
  const taken: string[] = [];
  const askNow = askWhenOpen(
    connection,
    () => {
      const answer = Promise.withResolvers<string>();
      asked.push(answer);
      return answer.promise;
    },
    (answer) => taken.push(answer),
  );
  const become = (status: ConnectionStatus) => {
    connection.status = status;
    for (const listener of listeners) listener();
  };
  return { asked, taken, askNow, become };
}

it("asks when the connection opens, each time", async () => {
  const { asked, taken, become } = started();
  expect(asked).toHaveLength(0);
  become("open");
  asked[0]?.resolve("first");
  await vi.advanceTimersByTimeAsync(0);
  become("offline");
  become("open");
  asked[1]?.resolve("second");
  await vi.advanceTimersByTimeAsync(0);
  expect(taken).toEqual(["first", "second"]);
});

it("asks again later when the host could not answer, and later each time", async () => {
  const { asked, taken, become } = started();
  become("open");
  for (const [failures, wait] of [500, 1000, 2000].entries()) {
    asked[failures]?.reject(new HostError("internal", "The disk is busy."));
    await vi.advanceTimersByTimeAsync(wait - 1);
    expect(asked).toHaveLength(failures + 1);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked).toHaveLength(failures + 2);
  }
  asked[3]?.resolve("rows");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(taken).toEqual(["rows"]);
  expect(asked).toHaveLength(4);
});

it("takes each answer, but not one that is older than what it has: else frequent questions to a slow host would show nothing", async () => {
  const { asked, taken, askNow, become } = started();
  become("open");
  askNow();
  askNow();
  asked[0]?.resolve("first");
  await vi.advanceTimersByTimeAsync(0);
  asked[2]?.resolve("third");
  await vi.advanceTimersByTimeAsync(0);
  asked[1]?.resolve("second");
  await vi.advanceTimersByTimeAsync(0);
  expect(taken).toEqual(["first", "third"]);
});

it.each<[ErrorCode, boolean]>([
  ["internal", true],
  ["rate_limited", true],
  ["bad_request", false],
  ["not_found", false],
  ["unavailable", false],
  ["unauthorized", false],
])("whether the answer %s may be another one later: %s", (code, expected) => {
  expect(mayPass(new HostError(code, "No."))).toBe(expected);
});

it("does not repeat a question whose connection was lost: the reconnect asks again", () => {
  expect(mayPass(new OfflineError("Gone."))).toBe(false);
});

it("waits at most half a minute", () => {
  expect([1, 2, 3, 7, 2000].map(retryDelayMs)).toEqual([500, 1000, 2000, 30_000, 30_000]);
});
