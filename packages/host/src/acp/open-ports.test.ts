import { expect, it } from "vitest";
import { OpenPorts } from "./open-ports.ts";

const listening = [{ address: "127.0.0.1", port: 5173 }];

it("records each change once, also those at the end of the session, and opens nothing after it", async () => {
  const changes: string[] = [];
  const loopback = { ports: () => [...listening, { address: "::1", port: 8080 }], connect: () => Promise.reject() };
  const ports = new OpenPorts(loopback, (port, isOpen, by) => changes.push(`${port} ${isOpen} ${by}`));
  await Promise.all([ports.open(5173, "owner"), ports.open(5173, "device:phone"), ports.open(8080, "owner")]);
  await Promise.all([ports.close(8080, "owner"), ports.close(8080, "owner"), ports.close(9, "owner")]);
  // One that is just being opened ends too.
  const opening = ports.open(8080, "owner");
  await ports[Symbol.asyncDispose]();
  await opening;
  const of = (port: number) => changes.filter((change) => change.startsWith(`${port} `));
  expect(of(5173)).toEqual(["5173 true owner", "5173 false session_end"]);
  const [open, closed] = ["8080 true owner", "8080 false owner"];
  expect(of(8080)).toEqual([open, closed, open, "8080 false session_end"]);
  await expect(ports.open(5173, "owner")).rejects.toThrow("the session has ended");
  expect(await ports.list()).toEqual([
    { port: 5173, is_listening: true, url: null },
    { port: 8080, is_listening: true, url: null },
  ]);
});
