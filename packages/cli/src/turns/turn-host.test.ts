import type { HostConnection } from "@signalbox/client";
import { expect, it } from "vitest";
import { remoteTurnHost } from "./turn-host.ts";

/** A host that answers `session.create` when it is told to. */
function slowHost() {
  const asked: string[] = [];
  const created = Promise.withResolvers<object>();
  const connection = {
    whenLost: () => new Promise(() => {}),
    request: async (name: string) => {
      asked.push(name);
      return name === "session.create" ? await created.promise : {};
    },
    close: async () => void asked.push("close"),
  } as unknown as HostConnection;
  return {
    asked,
    host: remoteTurnHost(connection),
    answer: () => created.resolve({ thread: { id: "t" } }),
  };
}

const thread = { agent: "a", cwd: "/" };

it("[R8] ends a thread that comes only after the command was cancelled", async () => {
  const { asked, host, answer } = slowHost();
  void host.createThread(thread);
  const closed = host.close();
  answer();
  await closed;
  expect(asked).toEqual(["session.create", "session.close", "close"]);
});

it("ends a thread once", async () => {
  const { asked, host, answer } = slowHost();
  answer();
  const { id } = await host.createThread(thread);
  await host.endThread(id);
  await host.close();
  expect(asked).toEqual(["session.create", "session.close", "close"]);
});
