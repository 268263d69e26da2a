// Serves HTTP and WebSocket on one port: the page, downloads, and the connections of screens.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { guard } from "@signalbox/base";
import { WebSocketServer } from "ws";
import { Access, protocolName, type Refusal } from "./access.ts";
import { DeviceSockets } from "./device-sockets.ts";
import type { HostServices } from "./host-services.ts";
import { listHostNames, type Tls } from "./listening.ts";
import { Screen } from "./screen.ts";

/** Enough for a prompt with pictures. */
const maxFrameBytes = 64 * 1024 * 1024;
const firstClientMs = 30_000;

export interface ServerOptions {
  readonly services: HostServices;
  readonly token: string;
  readonly pageFolder: string;
  /** Origins of pages that are served elsewhere: the development server, a page of the user's own. */
  readonly extraOrigins: readonly string[];
  /** Null: plain HTTP. */
  readonly tls: Tls | null;
}

export interface RunningServer {
  readonly port: number;
  /** Connected screens, ACP clients and proxies. */
  readonly connections: number;
  /** Resolves when the last client has disconnected, or none came in half a minute. From then on no client is accepted. */
  untilLastClientLeft(): Promise<void>;
  close(): Promise<void>;
}

/** Throws what `listen` throws when the address cannot be used. */
export async function startServer(options: ServerOptions, host: string, port: number): Promise<RunningServer> {
  const { devices } = options.services;
  let access = new Access(options.token, [], [], devices);
  const deviceSockets = new DeviceSockets();
  devices.onRemoved((deviceId) => deviceSockets.end(deviceId));
  const { tls } = options;
  // Loaded by the first request that is no WebSocket: a host that starts, or that only screens without a browser use, does not need it.
  let page: Promise<RequestListener> | undefined;
  const loadPage = async () => {
    const { createPageListener } = await import("./page.ts");
    return createPageListener(options.pageFolder, options.services, {
      refuseStranger: (request) => access.refuseStranger(request),
      callerOf: (request) => access.identifyCaller(request),
      extraOriginOf: (request) => access.findExtraOrigin(request),
    });
  };
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const refusal = access.refuseForeign(request);
    if (refusal !== null) {
      response.writeHead(refusal.status, { "Content-Type": "text/plain" }).end(`${refusal.reason}\n`);
      return;
    }
    const caller = access.identifyCaller(request);
    if (caller?.type === "device") deviceSockets.add(caller.deviceId, request.socket);
    page ??= loadPage();
    return page.then(
      (listener) => listener(request, response),
      () => response.writeHead(500, { "Content-Type": "text/plain" }).end("Signalbox was changed: start it again.\n"),
    );
  };
  const onRequest: RequestListener = (request, response) =>
    guard(
      () => request.socket.destroy(),
      () => answer(request, response),
    )();
  const server = tls === null ? createServer(onRequest) : createSecureServer(tls, onRequest);
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(protocolName) ? protocolName : false),
  });
  let onLastClientLeft: (() => void) | undefined;
  const connect = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const refusal = access.refuseForeign(request) ?? refuseWrongPath(request) ?? access.refuseStranger(request);
    const caller = access.identifyCaller(request);
    if (refusal !== null || caller === null) return refuse(socket, refusal ?? { status: 401, reason: "Not known." });
    if (caller.type === "device") deviceSockets.add(caller.deviceId, socket);
    const { pathname, searchParams } = readAddress(request);
    const serve = pathname === "/ws" ? null : await (pathname === "/acp" ? loadAcpClients() : loadProxies());
    if (!server.listening) return socket.destroy();
    sockets.handleUpgrade(request, socket, head, (connected) => {
      connected.on("close", () => sockets.clients.size === 0 && onLastClientLeft?.());
      return serve === null
        ? new Screen(connected, options.services, caller)
        : serve(connected, searchParams, options.services);
    });
  };
  server.on("upgrade", (request, socket, head) => {
    // The socket has no other listener: a caller who disconnects on a refusal must not end the host.
    socket.on("error", () => {});
    guard(
      () => socket.destroy(),
      () => connect(request, socket, head),
    )();
  });
  await listen(server, host, port);
  // A connection that cannot be accepted, because descriptors ran out, concerns its client only.
  server.on("error", () => {});
  const address = server.address() as AddressInfo;
  access = new Access(options.token, listHostNames(host, address.port, tls), options.extraOrigins, devices);
  return {
    port: address.port,
    get connections() {
      return sockets.clients.size;
    },
    untilLastClientLeft: () =>
      new Promise((resolve) => {
        const leave = () => {
          server.close();
          resolve();
        };
        onLastClientLeft = leave;
        setTimeout(() => sockets.clients.size === 0 && leave(), firstClientMs).unref();
      }),
    close: async () => {
      for (const socket of sockets.clients) socket.close(1001, "Signalbox stops");
      // It may be closed already, which is an error only here.
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      // A screen that does not close its side must not keep the host alive.
      const timer = setTimeout(() => {
        for (const socket of sockets.clients) socket.terminate();
        server.closeAllConnections();
      }, 500);
      await closed;
      clearTimeout(timer);
    },
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function readAddress({ url }: IncomingMessage): URL {
  return URL.parse(url ?? "/", "http://host") ?? new URL("http://host/");
}

function refuseWrongPath(request: IncomingMessage): { status: 404; reason: string } | null {
  const { pathname } = readAddress(request);
  if (pathname === "/ws" || pathname === "/acp" || pathname === "/proxy") return null;
  return { status: 404, reason: "The WebSocket is at /ws, ACP at /acp, and recordings at /proxy." };
}

/** Loaded with the first client: ACP's schemas take 20 ms and 10 MB that a host without agents does not need. */
async function loadAcpClients() {
  return (await import("./acp-connection.ts")).connectAcpClient;
}

async function loadProxies() {
  return (await import("./proxy-connection.ts")).connectProxy;
}

function refuse(socket: Duplex, { status, reason }: Refusal | { status: 404; reason: string }): void {
  const body = `${reason}\n`;
  const head = [
    `HTTP/1.1 ${status} ${statusTexts[status]}`,
    "Content-Type: text/plain",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

const statusTexts = { 401: "Unauthorized", 403: "Forbidden", 404: "Not Found" } as const;
