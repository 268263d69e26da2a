import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connectToHost } from "./find-host.ts";

const token = "a-token-that-is-long-enough";
let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-find-"));
  mkdirSync(join(folder, "run"));
  writeFileSync(join(folder, "token"), token);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const recordHost = (pid: number, url: string) =>
  writeFileSync(join(folder, "run/host.json"), JSON.stringify({ pid, url }));

/** Another program on a port, and every request that it got. */
async function otherServer(answer: RequestListener) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(JSON.stringify([request.url, request.headers]));
    answer(request, response);
  });
  server.on("upgrade", (request, socket) => {
    requests.push(JSON.stringify([request.url, request.headers]));
    socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/#token=${token}`, requests, [Symbol.dispose]: () => server.close() };
}

describe("finding a running host", () => {
  it("finds none in a folder that does not exist, that has no record of a host, or whose record is not JSON", async () => {
    expect(await connectToHost(join(folder, "none"))).toBeNull();
    expect(await connectToHost(folder)).toBeNull();
    writeFileSync(join(folder, "run/host.json"), "{");
    expect(await connectToHost(folder)).toBeNull();
  });

  it("sends nothing when the recorded process is gone", async () => {
    using other = await otherServer((_request, response) => response.end('{"status":"ok"}'));
    recordHost(2 ** 22 + 12_345, other.url);
    expect(await connectToHost(folder)).toBeNull();
    expect(other.requests).toEqual([]);
  });

  it("never sends the token to another program that now has the port", async () => {
    using other = await otherServer((_request, response) => response.writeHead(404).end("hello"));
    recordHost(process.pid, other.url);
    expect(await connectToHost(folder)).toBeNull();
    expect(other.requests).toHaveLength(1);
    expect(other.requests.join()).not.toContain(token);
  });

  it("finds none where the token is refused", async () => {
    using other = await otherServer((_request, response) => response.end('{"status":"ok"}'));
    recordHost(process.pid, other.url);
    expect(await connectToHost(folder)).toBeNull();
    expect(other.requests).toHaveLength(2);
  });

  it("finds none where no program listens", async () => {
    const gone = await otherServer(() => {});
    gone[Symbol.dispose]();
    recordHost(process.pid, gone.url);
    expect(await connectToHost(folder)).toBeNull();
  });
});
