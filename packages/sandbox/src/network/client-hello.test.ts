// The first bytes of a TLS connection, as a real client sends them, and as no client does.
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { connect } from "node:tls";
import { expect, it } from "vitest";
import { readFirstBytes } from "./client-hello.ts";

async function hello(servername: string): Promise<Buffer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: "127.0.0.1", servername, rejectUnauthorized: false });
  client.on("error", () => {});
  const [socket] = (await once(server, "connection")) as [NodeJS.ReadableStream];
  const [bytes] = (await once(socket, "data")) as [Buffer];
  client.destroy();
  server.close();
  return bytes;
}

it("reads the name that a client asks for, and waits until it is whole", async () => {
  const bytes = await hello("Example.com");
  expect(readFirstBytes(bytes)).toEqual({ type: "tls", serverName: "example.com" });
  for (const length of [0, 1, 4, 100, bytes.length - 1]) {
    expect(readFirstBytes(bytes.subarray(0, length))).toEqual({ type: "incomplete" });
  }
  expect(readFirstBytes(await hello(""))).toEqual({ type: "tls", serverName: undefined });
  expect(readFirstBytes(Buffer.from("SSH-2.0-x"))).toEqual({ type: "not_tls" });
});

it("does not trust a hello whose name it cannot read", async () => {
  const bytes = await hello("example.com");
  // The message is longer than its first record: the name could come in the second.
  const split = Buffer.concat([bytes.subarray(0, 3), Buffer.from([0, 60]), bytes.subarray(5, 65)]);
  expect(readFirstBytes(split)).toEqual({ type: "unreadable" });
  for (let at = 5; at < bytes.length; at++) {
    const broken = Buffer.from(bytes);
    broken[at] = 0xff;
    expect(["tls", "unreadable"]).toContain(readFirstBytes(broken).type);
  }
});
