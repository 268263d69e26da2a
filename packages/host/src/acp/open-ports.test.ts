import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
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

it("keeps no connection to the program where the port was closed while it was being made", async () => {
  // It does not end a connection because the other side has nothing more to say.
  const program = createServer({ allowHalfOpen: true }, (socket) => held.push(socket)).listen(0, "127.0.0.1");
  const held: Socket[] = [];
  await once(program, "listening");
  const { promise: reached, resolve: reach } = Promise.withResolvers<Socket>();
  const asked = Promise.withResolvers<void>();
  const dial = () => {
    asked.resolve();
    return reached;
  };
  await using ports = new OpenPorts({ ports: () => listening, connect: dial }, () => {});
  await ports.open(5173, "owner");
  const [{ url } = { url: null }] = await ports.list();
  const { host, port } = new URL(url ?? "");
  const browser = connect(Number(port), "127.0.0.1").on("error", () => {});
  browser.write(`GET / HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  await asked.promise;
  await ports.close(5173, "owner");
  const upstream = connect((program.address() as AddressInfo).port, "127.0.0.1");
  reach(upstream);
  await once(upstream, "close");
  for (const socket of held) socket.destroy();
  program.close();
});
