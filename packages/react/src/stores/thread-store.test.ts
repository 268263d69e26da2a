import { expect, it } from "vitest";
import type { Connection, Request } from "../connection/connection.ts";
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
