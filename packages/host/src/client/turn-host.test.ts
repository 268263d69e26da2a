import { expect, it } from "vitest";
import type { HostClient } from "./host-client.ts";
import { remoteTurnHost } from "./turn-host.ts";

/** A host that answers `session.create` when it is told to. */
function slowHost() {
  const asked: string[] = [];
  const created = Promise.withResolvers<object>();
  const client = {
    lost: new Promise(() => {}),
    request: async ({ control }: { readonly control: string }) => {
      asked.push(control);
      return control === "session.create" ? await created.promise : { type: "tinyvex.ok" };
    },
    close: async () => void asked.push("close"),
  } as unknown as HostClient;
  return {
    asked,
    host: remoteTurnHost(client),
    answer: () => created.resolve({ type: "tinyvex.ok", thread: { id: "t" } }),
  };
}

const thread = { agent_id: "a", cwd: "/" };

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
