// Tests who may connect to the host over HTTP and WebSocket.
import { once } from "node:events";
import { statSync } from "node:fs";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { HostProcess, TemporaryFolder } from "../support/host-process.ts";

const folder = new TemporaryFolder();
let host: HostProcess;
beforeAll(async () => {
  host = await HostProcess.start(folder.in("data"));
});
afterAll(async () => {
  await host.stop();
  folder[Symbol.dispose]();
});

async function refusal(
  protocols: string[],
  headers: Record<string, string>,
  path = "/ws",
): Promise<number | undefined> {
  const socket = new WebSocket(`ws://127.0.0.1:${host.ready.port}${path}`, protocols, { headers });
  socket.on("error", () => {});
  const [, response] = (await once(socket, "unexpected-response")) as [ClientRequest, IncomingMessage];
  socket.terminate();
  return response.statusCode;
}

async function get(path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const asked = request({ host: "127.0.0.1", port: host.ready.port, path, headers });
  asked.end();
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  answer.resume();
  return answer;
}

/** Asks for a WebSocket by hand; gives the first line of the answer. */
async function upgrade(path: string): Promise<string> {
  const socket = connect(host.ready.port, "127.0.0.1").setEncoding("utf8");
  socket.write(upgradeRequest(path));
  const [text] = (await once(socket, "data")) as [string];
  socket.destroy();
  return text.split("\r\n")[0] ?? "";
}

function upgradeRequest(path: string): string {
  const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13";
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${host.ready.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${key}\r\n\r\n`;
}

describe("access to the host", () => {
  const tokenProtocol = () => `signalbox.token.${host.ready.token}`;

  it("answers 401 without the token or with a wrong one", async () => {
    expect(await refusal(["signalbox.v1"], {})).toBe(401);
    expect(await refusal(["signalbox.v1", "signalbox.token.wrong"], {})).toBe(401);
    expect(await refusal([], {}, "/acp")).toBe(401);
    expect(await refusal([], { authorization: "Bearer wrong" }, "/acp")).toBe(401);
    expect(await refusal([], { authorization: "Bearer wrong" }, "/proxy")).toBe(401);
  });

  it("answers 403 to a foreign origin and to a rebound host name, token or not", async () => {
    expect(await refusal(["signalbox.v1", tokenProtocol()], { origin: "https://evil.example" })).toBe(403);
    expect(await refusal(["signalbox.v1", tokenProtocol()], { origin: "https://evil.example" }, "/acp")).toBe(403);
    expect(await refusal(["signalbox.v1", tokenProtocol()], { host: "evil.example" })).toBe(403);
  });

  it("accepts a command with a bearer token", async () => {
    const headers = { authorization: `Bearer ${host.ready.token}` };
    const socket = new WebSocket(`ws://127.0.0.1:${host.ready.port}/ws`, { headers });
    await once(socket, "open");
    socket.terminate();
  });

  it("never sends the token back as the chosen protocol", async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${host.ready.port}/ws`, ["signalbox.v1", tokenProtocol()]);
    await once(socket, "open");
    expect(socket.protocol).toBe("signalbox.v1");
    socket.terminate();
  });

  it("serves the page to its own names only, with a policy that lets no foreign script run", async () => {
    const page = await get("/");
    expect(page.statusCode).toBe(200);
    expect(page.headers["content-security-policy"]).toContain("script-src 'self'");
    expect(page.headers["cache-control"]).toBe("no-cache");
    expect((await get("/", { host: "evil.example" })).statusCode).toBe(403);
  });

  it.each([
    "/../package.json",
    "/%2e%2e/package.json",
    "/..%2fpackage.json",
    "/assets/../../src/main.tsx",
    "//etc/passwd",
    "/%00",
  ])("does not serve %s", async (path) => {
    expect((await get(path)).statusCode).toBe(404);
  });

  it("does not serve a name that is longer than names can be", async () => {
    expect((await get(`/${"long".repeat(2000)}`)).statusCode).toBe(404);
  });

  it.each(["/export/t", "/%65xport/t", "/./export/t", "/x/../export/t", "/blobs/0", "/%62lobs/0", "/x/../blobs/0"])(
    "gives nothing of what agents did without the token at %s, however it is spelled",
    async (path) => {
      expect((await get(path)).statusCode).toBe(401);
      expect((await get(`http://127.0.0.1:${host.ready.port}${path}`)).statusCode).toBe(401);
      expect((await get(path, { authorization: `Bearer ${host.ready.token}` })).statusCode).toBe(404);
    },
  );

  it.each(["//", "http://[", "/elsewhere"])("survives a WebSocket at %s", async (path) => {
    expect(await upgrade(path)).toBe("HTTP/1.1 404 Not Found");
    expect((await get("/health")).statusCode).toBe(200);
  });

  it("survives callers who disconnect on a refusal", async () => {
    for (let caller = 0; caller < 100; caller++) {
      const socket = connect(host.ready.port, "127.0.0.1").on("error", () => {});
      await once(socket, "connect");
      socket.write(`${upgradeRequest("/ws")}${"x".repeat(caller * 100)}`);
      socket.resetAndDestroy();
      await once(socket, "close");
    }
    expect((await get("/health")).statusCode).toBe(200);
  });

  it("keeps the token where only its owner can read it", () => {
    const mode = (name: string) => statSync(join(host.ready.data_dir, name)).mode & 0o077;
    expect(mode("token")).toBe(0);
    expect(mode("run/host.json")).toBe(0);
  });
});
