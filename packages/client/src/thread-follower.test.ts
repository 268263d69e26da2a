import { HostError } from "@signalbox/protocol";
import { expect, it, onTestFinished, vi } from "vitest";
import type { HostConnection } from "./host-connection.ts";
import { ThreadFollower } from "./thread-follower.ts";

const ignore = { onView: () => {}, onProblem: () => {} };

it("a thread that is closed and opened again before the host answered is followed", () => {
  const asked: string[] = [];
  const connection = {
    status: "open",
    onMessage: () => () => {},
    onStatus: () => () => {},
    request: (name: string) => {
      asked.push(name);
      return new Promise(() => {});
    },
  };
  const thread = new ThreadFollower(connection as unknown as HostConnection, "t", ignore);
  thread.open();
  thread.close();
  thread.open();
  expect(asked).toEqual(["tvx.subscribe", "tvx.unsubscribe", "tvx.subscribe"]);
});

it("a thread that the host could not read is asked for again, and not any more when it is closed", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const asked: string[] = [];
  const connection = {
    status: "open",
    onMessage: () => () => {},
    onStatus: () => () => {},
    request: async (name: string) => {
      asked.push(name);
      throw new HostError("internal", "The disk is busy.");
    },
  };
  const problems: string[] = [];
  const onProblem = (problem: string) => problems.push(problem);
  const thread = new ThreadFollower(connection as unknown as HostConnection, "t", { ...ignore, onProblem });
  thread.open();
  await vi.advanceTimersByTimeAsync(1499);
  expect(problems).toEqual(["The disk is busy.", "The disk is busy."]);
  expect(asked).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toHaveLength(3);
  thread.close();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual(["tvx.subscribe", "tvx.subscribe", "tvx.subscribe", "tvx.unsubscribe"]);
});
