// Adds a credential to the requests for one host. TLS of the program ends here, with a certificate of the session's authority; TLS to the host begins
// here, and is checked as any client would. The credential is set on requests for that host and port only, and is never seen by the program.
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls, getCACertificates, type SecureContext, TLSSocket } from "node:tls";
import { guard } from "@signalbox/base";
import { endToEnd } from "./end-to-end.ts";

/** The value goes into the header of requests, and nowhere else. */
export interface HostCredential {
  /** How people call it: it is in the log and on the page. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly header: string;
  readonly value: string;
}

interface ServedRequest {
  readonly credential: HostCredential;
  readonly context: SecureContext;
  readonly dial: () => Promise<Socket>;
}

type ConnectCallback = (error: Error | null, socket: Duplex) => void;

interface Tunnel {
  readonly credential: HostCredential;
  readonly agent: Agent;
}

const headersTimeout = 20_000;

/** One for all tunnels of a proxy. */
export class KeyAdder {
  readonly #tunnels = new WeakMap<object, Tunnel>();
  readonly #authorities: readonly string[];
  readonly #server = createServer({ maxHeaderSize: 64 * 1024, headersTimeout, requestTimeout: 0 });

  /** `moreAuthorities`: whom it trusts for hosts, besides those that this machine trusts. */
  constructor(moreAuthorities: readonly string[] = []) {
    this.#authorities = [...getCACertificates("default"), ...getCACertificates("system"), ...moreAuthorities];
    this.#server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      guard(
        () => response.destroy(),
        () => this.#pass(request, response),
      )();
    });
    this.#server.on("upgrade", (_request: IncomingMessage, socket: Duplex) => {
      socket.end("HTTP/1.1 501 Not Implemented\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    });
    this.#server.on("clientError", (_error, socket) => socket.destroy());
  }

  /** Serves a program that was told that its connection stands. `dial` makes connections to the host, each to an address that was checked. */
  serve(client: Duplex, { credential, context, dial }: ServedRequest): void {
    const inner = new TLSSocket(client, {
      isServer: true,
      secureContext: context,
      ALPNProtocols: ["http/1.1"],
      // A program that asks for another host under this one's name is not served.
      SNICallback: (name, done) =>
        done(name.toLowerCase() === credential.host ? null : new Error("another host"), context),
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    agent.createConnection = (_options, done) => {
      void this.#connect(credential.host, dial, done ?? (() => {}));
      return undefined;
    };
    this.#tunnels.set(inner, { credential, agent });
    inner.on("error", () => client.destroy());
    inner.once("close", () => agent.destroy());
    this.#server.emit("connection", inner);
  }

  async #connect(host: string, dial: ServedRequest["dial"], done: ConnectCallback): Promise<void> {
    try {
      const socket = await dial();
      const ALPNProtocols = ["http/1.1"];
      done(null, connectTls({ socket, servername: host, ca: [...this.#authorities], ALPNProtocols }));
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)), undefined as never);
    }
  }

  #pass(request: IncomingMessage, response: ServerResponse): void {
    const tunnel = this.#tunnels.get(request.socket);
    const { method = "", url = "" } = request;
    if (tunnel === undefined) return void response.destroy();
    const { credential, agent } = tunnel;
    if (!isFor(credential, request.headers.host))
      return refuse(response, 421, `This connection is for ${credential.host}.`);
    // TRACE answers with the request, and with it the credential. An address of its own could be for another host.
    if (method === "TRACE" || !url.startsWith("/"))
      return refuse(response, 400, "This request cannot be sent with a credential.");
    const { [credential.header]: _own, expect: _expect, ...headers } = endToEnd(request.headers);
    const outgoing = httpsRequest({
      agent,
      host: credential.host,
      port: credential.port,
      method,
      path: url,
      setHost: false,
      headers: { ...headers, host: request.headers.host, [credential.header]: credential.value } as OutgoingHttpHeaders,
    });
    const fail = () => {
      if (response.headersSent) response.destroy();
      else refuse(response, 502, `${credential.host} did not answer, or its certificate is not valid.`);
    };
    outgoing.on("error", fail);
    outgoing.on("close", () => response.headersSent || fail());
    outgoing.on(
      "response",
      guard(fail, (incoming: IncomingMessage) => {
        const { statusCode = 0, headers: answered } = incoming;
        if (statusCode < 200) return fail();
        // A redirect goes back to the program. Its next request gets a credential only if it is for this host again.
        response.writeHead(statusCode, endToEnd(answered));
        incoming.on("error", fail);
        incoming.pipe(response);
      }),
    );
    response.once("close", () => outgoing.destroy());
    request.pipe(outgoing);
  }
}

function isFor({ host, port }: HostCredential, asked: string | undefined): boolean {
  const name = asked?.toLowerCase();
  return name === `${host}:${port}` || (name === host && port === 443);
}

function refuse(response: ServerResponse, status: 400 | 421 | 502, reason: string): void {
  response.writeHead(status, { "content-type": "text/plain", connection: "close" }).end(`${reason}\n`);
}
