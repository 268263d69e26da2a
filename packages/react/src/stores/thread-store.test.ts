import { expect, it, onTestFinished, vi } from "vitest";
import { type Connection, type Request, RequestError } from "../connection/connection.ts";
import { ThreadStore } from "./thread-store.ts";

it("a thread that is closed and opened again before the host answered is followed", () => {
  const asked: string[] = [];
  const connection = {
    status: "open",
    onMessage: () => () => {},
    onStatus: () => () => {},
    request: ({ control }: Request) => {
      asked.push(control);
      return new Promise(() => {});
    },
  };
  const thread = new ThreadStore(connection as unknown as Connection, "t");
  thread.open();
  thread.close();
  thread.open();
  expect(asked).toEqual(["tvx.subscribe", "tvx.unsubscribe", "tvx.subscribe"]);
});

it("a thread that the host could not read is asked for again, and not any more when it is closed", async () => {
  vi.useFakeTimers();
  for (const name of ["requestAnimationFrame", "cancelAnimationFrame"]) vi.stubGlobal(name, () => 0);
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const asked: string[] = [];
  const connection = {
    status: "open",
    onMessage: () => () => {},
    onStatus: () => () => {},
    request: async ({ control }: Request) => {
      asked.push(control);
      throw new RequestError("internal", "The disk is busy.");
    },
  };
  const thread = new ThreadStore(connection as unknown as Connection, "t");
  thread.open();
  await vi.advanceTimersByTimeAsync(1499);
  expect(thread.store.get().error).toBe("The disk is busy.");
  expect(asked).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toHaveLength(3);
  thread.close();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual(["tvx.subscribe", "tvx.subscribe", "tvx.subscribe", "tvx.unsubscribe"]);
});
