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

const note = (pid: number, url: string) => writeFileSync(join(folder, "run/host.json"), JSON.stringify({ pid, url }));

/** Somebody on a port, and all that was ever said to them. */
async function somebody(answer: RequestListener) {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(JSON.stringify([request.url, request.headers]));
    answer(request, response);
  });
  server.on("upgrade", (request, socket) => {
    heard.push(JSON.stringify([request.url, request.headers]));
    socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/#token=${token}`, heard, [Symbol.dispose]: () => server.close() };
}

describe("finding a running host", () => {
  it("finds none in a folder that does not exist, that has no note, or whose note is junk", async () => {
    expect(await connectToHost(join(folder, "none"))).toBeNull();
    expect(await connectToHost(folder)).toBeNull();
    writeFileSync(join(folder, "run/host.json"), "{");
    expect(await connectToHost(folder)).toBeNull();
  });

  it("does not ask anybody when the process of the note is gone", async () => {
    using other = await somebody((_request, response) => response.end('{"status":"ok"}'));
    note(2 ** 22 + 12_345, other.url);
    expect(await connectToHost(folder)).toBeNull();
    expect(other.heard).toEqual([]);
  });

  it("never shows the token to somebody else who now has the port", async () => {
    using other = await somebody((_request, response) => response.writeHead(404).end("hello"));
    note(process.pid, other.url);
    expect(await connectToHost(folder)).toBeNull();
    expect(other.heard).toHaveLength(1);
    expect(other.heard.join()).not.toContain(token);
  });

  it("takes a refused token for no host", async () => {
    using other = await somebody((_request, response) => response.end('{"status":"ok"}'));
    note(process.pid, other.url);
    expect(await connectToHost(folder)).toBeNull();
    expect(other.heard).toHaveLength(2);
  });

  it("finds none where nobody listens", async () => {
    const gone = await somebody(() => {});
    gone[Symbol.dispose]();
    note(process.pid, gone.url);
    expect(await connectToHost(folder)).toBeNull();
  });
});
