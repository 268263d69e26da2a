// The door of the host, knocked on for real: over HTTP and WebSocket, by pages that are not ours.
import { once } from "node:events";
import { statSync } from "node:fs";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
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

describe("the host's door", () => {
  const tokenProtocol = () => `signalbox.token.${host.ready.token}`;

  it("answers 401 without the token or with a wrong one", async () => {
    expect(await refusal(["signalbox.v1"], {})).toBe(401);
    expect(await refusal(["signalbox.v1", "signalbox.token.wrong"], {})).toBe(401);
  });

  it("answers 403 to a foreign origin and to a rebound host name, token or not", async () => {
    expect(await refusal(["signalbox.v1", tokenProtocol()], { origin: "https://evil.example" })).toBe(403);
    expect(await refusal(["signalbox.v1", tokenProtocol()], { host: "evil.example" })).toBe(403);
  });

  it("lets a command in with a bearer token", async () => {
    const headers = { authorization: `Bearer ${host.ready.token}` };
    const socket = new WebSocket(`ws://127.0.0.1:${host.ready.port}/ws`, { headers });
    await once(socket, "open");
    socket.terminate();
  });

  it("never tells the token in the protocol it chooses", async () => {
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
  ])("does not serve %s", async (path) => {
    expect((await get(path)).statusCode).toBe(404);
  });

  it("keeps the token where only its owner can read it", () => {
    const mode = (name: string) => statSync(join(host.ready.data_dir, name)).mode & 0o077;
    expect(mode("token")).toBe(0);
    expect(mode("run/host.json")).toBe(0);
  });
});
