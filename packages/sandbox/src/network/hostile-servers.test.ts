// The proxy of a network by name, and servers on the list that mean harm: no answer of theirs may stop the host or fill its memory.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { AllowList } from "./allow-list.ts";
import { EgressProxy } from "./egress-proxy.ts";

/** A server that does this with each connection, and the proxy before it. */
async function withProxy(
  serve: (socket: Socket) => void,
  play: (open: () => Socket, port: number) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-proxy-"));
  const server = createServer((socket) => {
    socket.on("error", () => {}); // the proxy hangs up
    serve(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const socket = join(folder, "proxy");
  const proxy = await EgressProxy.open({
    socket,
    allow: new AllowList([`127.0.0.1:${port}`]),
    decide: async () => ({ allowed: true, by: "test" }),
    record: () => {},
  });
  try {
    await play(() => connect(socket), port);
  } finally {
    await proxy[Symbol.asyncDispose]();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const ask = (port: number) => `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`;

it.each([
  "HTTP/1.1 000 x\r\ncontent-length: 0\r\n\r\n",
  "HTTP/1.1 099 x\r\ncontent-length: 0\r\n\r\n",
  "HTTP/1.1 1000 x\r\n\r\n",
  "HTTP/1.1 101 Other\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
  "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\nhi",
  "no http at all",
  "",
])("an answer that is none is an error for the program: %j", async (answer) => {
  await withProxy(
    (socket) => socket.once("data", () => socket.end(answer)),
    async (open, port) => {
      const client = open();
      client.write(ask(port));
      expect(await text(client)).toContain("HTTP/1.1 502");
    },
  );
});

it("a request after another one on the same connection is for its own server only", async () => {
  const heard: string[] = [];
  await withProxy(
    (socket) => {
      socket.on("data", (bytes) => {
        heard.push(bytes.toString());
        // It would like to get the next one too.
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: keep-alive\r\n\r\nhi");
      });
    },
    async (open, port) => {
      const client = open();
      client.write(ask(port).replace("connection: close\r\n", ""));
      client.write("GET http://10.0.0.1/other HTTP/1.1\r\nhost: 10.0.0.1\r\nconnection: close\r\n\r\n");
      const answers = await text(client);
      expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 403"]);
      expect(heard.join("")).not.toContain("/other");
    },
  );
});

it("a server that talks first waits for a client that does not read, and nothing of it is lost", async () => {
  const total = 48 * 1024 * 1024;
  let sent = 0;
  const flood = (socket: Socket) => {
    const chunk = Buffer.alloc(256 * 1024, "x");
    const write = () => {
      while (sent < total) {
        sent += chunk.length;
        if (!socket.write(chunk)) return void socket.once("drain", write);
      }
      socket.end();
    };
    write();
  };
  let connections = 0;
  await withProxy(
    (socket) => {
      if (connections++ === 0) flood(socket);
      else socket.once("data", () => socket.end("HTTP/1.1 204 No Content\r\n\r\n"));
    },
    async (open, port) => {
      const idle = open();
      idle.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`);
      // The proxy goes on for others; when nothing more arrived during 20 of their requests, the server waits.
      for (let quiet = 0, before = -1; quiet < 20; quiet = sent === before && sent > 0 ? quiet + 1 : 0) {
        before = sent;
        const other = open();
        other.write(ask(port));
        await text(other);
      }
      expect(sent).toBeLessThan(total / 2);
      let got = 0;
      for await (const bytes of idle) got += (bytes as Buffer).length;
      expect(got).toBe(total + "HTTP/1.1 200 Connection established\r\n\r\n".length);
    },
  );
});
