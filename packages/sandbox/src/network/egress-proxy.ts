// The proxy of a network by name, on a unix socket. It takes CONNECT and plain http, asks whether the host is allowed, resolves the name itself, connects to
// the address that it checked, and compares the name in TLS with the one that was asked for. It looks into TLS only for the hosts that it adds a
// credential to (key-adding.ts).
import { lookup } from "node:dns/promises";
import { chmodSync, rmSync } from "node:fs";
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { connect, isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { guard } from "@signalbox/base";
import { type AllowList, hostName } from "./allow-list.ts";
import type { SessionAuthority } from "./certificates.ts";
import { readFirstBytes } from "./client-hello.ts";
import { endToEnd } from "./end-to-end.ts";
import { type HostCredential, KeyAdder } from "./key-adding.ts";
import { networkProblem } from "./network-problem.ts";
import { isPrivateAddress } from "./private-address.ts";

export interface ProxyRequest {
  readonly host: string;
  readonly port: number;
}

export type ProxyVerdict =
  /** `by`: the entry of the list, the rule, or who said yes. */
  | { readonly allowed: true; readonly by: string }
  /** A sentence for the program and the person. */
  | { readonly allowed: false; readonly reason: string };

/** One connection that ended, or that was refused. */
export interface ProxyConnection extends ProxyRequest {
  readonly allowedBy: string | null;
  readonly refused: string | null;
  readonly bytesSent: number;
  readonly bytesReceived: number;
}

interface ProxyKeys {
  readonly credentials: readonly HostCredential[];
  readonly authority: SessionAuthority;
  /** Authorities that the proxy trusts besides those of this machine. */
  readonly moreAuthorities?: readonly string[];
}

export interface EgressProxyOptions {
  readonly socket: string;
  /** For the addresses that names lead to: those that are not public need an entry of their own. */
  readonly allow: AllowList;
  /** May take as long as a person needs. */
  readonly decide: (request: ProxyRequest) => Promise<ProxyVerdict>;
  readonly record: (connection: ProxyConnection) => void;
  /** Credentials that are added to requests for their hosts, and the certificate authority for these hosts. */
  readonly keys?: ProxyKeys | undefined;
  readonly resolve?: (host: string) => Promise<readonly { readonly address: string }[]>;
}

const maxConnections = 256;
const connectMs = 20_000;
/** For the first bytes of a TLS connection, which are small. */
const maxHello = 17 * 1024;
const maxSocketPath = 107;

class Refusal extends Error {}

/** A host that may be reached, why, and a connection to an address that was checked. */
interface ReachedHost {
  readonly asked: ProxyRequest;
  readonly by: string;
  readonly upstream: Socket;
}

export class EgressProxy implements AsyncDisposable {
  readonly #options: EgressProxyOptions;
  readonly #server: Server;
  readonly #open = new Set<Duplex>();
  readonly #adder: KeyAdder | undefined;
  #isClosed = false;

  private constructor(options: EgressProxyOptions) {
    this.#options = options;
    this.#adder = options.keys && new KeyAdder(options.keys.moreAuthorities);
    this.#server = createServer({ maxHeaderSize: 16 * 1024, headersTimeout: 20_000, requestTimeout: 0 });
    this.#server.maxConnections = maxConnections;
    this.#server.on("connection", (socket: Duplex) => this.#track(socket));
    this.#server.on("connect", (request: IncomingMessage, client: Duplex, head: Buffer) => {
      guard(
        () => client.destroy(),
        () => this.#tunnel(request, client, head),
      )();
    });
    this.#server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      guard(
        () => response.destroy(),
        () => this.#forward(request, response),
      )();
    });
    this.#server.on("clientError", (_error, socket) => socket.destroy());
  }

  /** Throws where the socket cannot be made. */
  static async open(options: EgressProxyOptions): Promise<EgressProxy> {
    if (Buffer.byteLength(options.socket) > maxSocketPath) {
      throw new Error(
        `the path of the network's socket is too long (${options.socket}); use a data folder with a shorter path`,
      );
    }
    const proxy = new EgressProxy(options);
    rmSync(options.socket, { force: true });
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once("error", reject);
      proxy.#server.listen(options.socket, resolve);
    });
    chmodSync(options.socket, 0o600);
    return proxy;
  }

  /** Ends every connection, and records it. Afterwards nothing is recorded. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const ends = [...this.#open].map((socket) => new Promise<void>((resolve) => socket.once("close", resolve)));
    for (const socket of this.#open) socket.destroy();
    await Promise.all([closed, ...ends]);
    this.#isClosed = true;
  }

  #track(socket: Duplex): void {
    this.#open.add(socket);
    socket.on("error", () => {}); // its end says enough
    socket.once("close", () => this.#open.delete(socket));
  }

  async #tunnel({ url = "" }: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const asked = parseRequest(url);
    if (asked === undefined) return answer(client, 400, "This is no host and port.");
    let allowedBy: string | null = null;
    try {
      const { by, upstream } = await this.#reach(asked, client);
      allowedBy = by;
      if (this.#addsKey({ asked, by, upstream }, client, head)) return;
      upstream.once("close", () => this.#record(asked, by, null, upstream));
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.once("close", () => upstream.destroy());
      upstream.once("close", () => client.end()); // what it still has to send goes out
      const problem = await sendFirstBytes(asked.host, client, upstream, head);
      if (problem !== undefined) {
        this.#record(asked, null, problem, undefined);
        upstream.destroy();
        return;
      }
      client.pipe(upstream);
      upstream.pipe(client);
    } catch (error) {
      const reason = describeFailure(asked, error);
      if (allowedBy === null) this.#record(asked, null, reason, undefined);
      answer(client, error instanceof Refusal ? 403 : 502, reason);
    }
  }

  /** False where no credential is for this host and port. */
  #addsKey({ asked, by, upstream }: ReachedHost, client: Duplex, head: Buffer): boolean {
    const { keys } = this.#options;
    const credential = keys?.credentials.find(({ host, port }) => host === asked.host && port === asked.port);
    if (keys === undefined || credential === undefined || this.#adder === undefined) return false;
    const keep = (socket: Socket) => {
      socket.once("close", () => this.#record(asked, `${by}, with the credential ${credential.name}`, null, socket));
      client.once("close", () => socket.destroy());
      return socket;
    };
    let first: Socket | undefined = keep(upstream);
    const connectAgain = async () => {
      const socket = first?.destroyed === false ? first : keep((await this.#reach(asked, client)).upstream);
      first = undefined;
      return socket;
    };
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) client.unshift(head);
    this.#adder.serve(client, { credential, context: keys.authority.getContext(asked.host), dial: connectAgain });
    return true;
  }

  /** Plain http in the form for proxies. A redirect goes back to the program, whose next request is decided like this one. */
  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = parseUrl(request.url);
    const asked = target === undefined ? undefined : parseRequest(target.host, 80);
    if (target === undefined || asked === undefined) {
      response.writeHead(400).end("This is a proxy. It takes CONNECT, and http requests with a whole address.\n");
      return;
    }
    try {
      const { by, upstream } = await this.#reach(asked, request.socket);
      upstream.once("close", () => this.#record(asked, by, null, upstream));
      const outgoing = httpRequest({
        createConnection: () => upstream,
        method: request.method,
        path: `${target.pathname}${target.search}`,
        setHost: false,
        headers: { ...endToEnd(request.headers), host: target.host, connection: "close" },
      });
      const fail = () => {
        upstream.destroy();
        if (response.headersSent) response.destroy();
        else response.writeHead(502).end(`${asked.host} did not answer.\n`);
      };
      outgoing.on("error", fail);
      // Also where it ends without an answer or an error: a server that changes the protocol unasked.
      outgoing.on("close", () => response.headersSent || fail());
      outgoing.on(
        "response",
        guard(fail, (incoming: IncomingMessage) => {
          const { statusCode = 0, headers } = incoming;
          // Node reads a status such as 099, and throws when it is passed on.
          if (statusCode < 200) return fail();
          response.writeHead(statusCode, endToEnd(headers));
          incoming.on("error", fail);
          incoming.pipe(response);
        }),
      );
      response.once("close", () => upstream.destroy());
      request.pipe(outgoing);
    } catch (error) {
      const reason = describeFailure(asked, error);
      this.#record(asked, null, reason, undefined);
      const status = error instanceof Refusal ? 403 : 502;
      response.writeHead(status, statusText(status, reason), { "content-type": plainText }).end(`${reason}\n`);
    }
  }

  /** A connection to an address that was checked. Throws a Refusal, with the sentence for the program, and where the client went away meanwhile. */
  async #reach(asked: ProxyRequest, client: Duplex): Promise<{ readonly by: string; readonly upstream: Socket }> {
    const { decide, resolve = resolveName } = this.#options;
    const { host, port } = asked;
    // Nobody is asked about an address that a yes would not open.
    if (isIP(host) !== 0 && !this.#isAllowedAddress(host, port)) throw new Refusal(addressRefusal(host, [host]));
    const verdict = await decide(asked);
    if (!verdict.allowed) throw new Refusal(verdict.reason);
    const found = isIP(host) === 0 ? (await resolve(host)).map(({ address }) => address) : [host];
    const usable = found.filter((address) => this.#isAllowedAddress(address, port));
    if (usable.length === 0) throw new Refusal(addressRefusal(host, found));
    const upstream = await dialAny(usable, port);
    this.#track(upstream);
    // A person may take minutes to answer.
    if (client.destroyed) {
      upstream.destroy();
      throw new Error("the program did not wait for the answer");
    }
    return { by: verdict.by, upstream };
  }

  #isAllowedAddress(address: string, port: number): boolean {
    return !isPrivateAddress(address) || this.#options.allow.findAddress(address, port) !== undefined;
  }

  #record(asked: ProxyRequest, allowedBy: string | null, refused: string | null, upstream: Socket | undefined): void {
    if (this.#isClosed) return;
    const { bytesWritten: bytesSent = 0, bytesRead: bytesReceived = 0 } = upstream ?? {};
    const { record } = this.#options;
    // A connection that cannot be recorded has ended or is refused anyway.
    guard(() => {}, record)({ ...asked, allowedBy, refused, bytesSent, bytesReceived });
  }
}

function addressRefusal(host: string, found: readonly string[]): string {
  const [first] = found;
  if (first === undefined) return `The name ${host} has no address.`;
  const where = first === host ? host : `${host} (${first})`;
  return `${where} is not an address of the public internet. Name the address itself in sandbox.network.allow if programs may reach it.`;
}

/** `host:port`, the port with a default where there is one. */
function parseRequest(text: string, defaultPort?: number): ProxyRequest | undefined {
  const [, bracketed, plain, portText] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = hostName(bracketed ?? plain ?? "");
  const port = portText === undefined ? defaultPort : Number(portText);
  return host === undefined || port === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}

function parseUrl(text: string | undefined): URL | undefined {
  const url = text === undefined || !URL.canParse(text) ? undefined : new URL(text);
  return url?.protocol === "http:" && url.username === "" ? url : undefined;
}

async function resolveName(host: string): Promise<readonly { readonly address: string }[]> {
  return await lookup(host, { all: true });
}

/** The first address that answers: a machine without IPv6 gets such addresses too. Throws what the last one said. */
async function dialAny([address = "", ...others]: readonly string[], port: number): Promise<Socket> {
  try {
    return await dial(address, port);
  } catch (error) {
    if (others.length === 0) throw error;
    return await dialAny(others, port);
  }
}

function dial(address: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port });
    const timer = setTimeout(() => socket.destroy(new Error(`no answer within ${connectMs / 1000} s`)), connectMs);
    socket.once("error", reject);
    socket.once("close", () => clearTimeout(timer));
    socket.once("connect", () => {
      clearTimeout(timer);
      socket.off("error", reject);
      resolve(socket);
    });
  });
}

/** Sends what the client says first, if that is for this host. Gives what is wrong with it. What a server says first is passed on meanwhile. */
async function sendFirstBytes(
  host: string,
  client: Duplex,
  upstream: Socket,
  head: Buffer,
): Promise<string | undefined> {
  let bytes = head;
  const resumeUpstream = () => void upstream.resume();
  // No more than the client reads: the rest waits at the server.
  const early = (chunk: Buffer) => {
    if (!client.write(chunk)) upstream.pause();
  };
  upstream.on("data", early);
  client.on("drain", resumeUpstream);
  try {
    for (;;) {
      const first = readFirstBytes(bytes);
      const isTooLong = first.type === "incomplete" && bytes.length > maxHello;
      if (first.type === "unreadable" || isTooLong) return `The TLS connection to ${host} does not show its name.`;
      if (first.type === "tls" && isIP(host) === 0 && first.serverName !== undefined && first.serverName !== host) {
        return `The connection was allowed for ${host}, but its TLS is for ${first.serverName.replaceAll(/[^\w.-]/g, "?")}.`;
      }
      if (first.type !== "incomplete") break;
      const chunk = await nextChunk(client);
      if (chunk === undefined) break;
      bytes = Buffer.concat([bytes, chunk]);
    }
    if (bytes.length > 0) upstream.write(bytes);
    return undefined;
  } finally {
    upstream.off("data", early);
    client.off("drain", resumeUpstream);
  }
}

function nextChunk(stream: Duplex): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const done = (chunk?: Buffer) => {
      stream.pause();
      stream.off("data", done);
      stream.off("end", ended);
      stream.off("close", ended);
      resolve(chunk);
    };
    const ended = () => done();
    stream.on("data", done);
    stream.once("end", ended);
    stream.once("close", ended);
    stream.resume();
  });
}

function answer(client: Duplex, status: keyof typeof statusNames, reason: string): void {
  const body = `${reason}\n`;
  const headers = `content-type: ${plainText}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`;
  client.end(`HTTP/1.1 ${status} ${statusText(status, reason)}\r\n${headers}\r\n\r\n${body}`);
}

const plainText = "text/plain; charset=utf-8";
const statusNames = { 400: "Bad Request", 403: "Forbidden", 502: "Bad Gateway" } as const;
const maxStatusText = 300;

/** With the reason: npm, pip, go and Java print this line, and nothing of the answer's body. Only what such a line may have. */
function statusText(status: keyof typeof statusNames, reason: string): string {
  const plain = reason.replaceAll(/\s+/g, " ").replaceAll(/[^ -~]/g, "?");
  return `${statusNames[status]}: ${plain}`.slice(0, maxStatusText);
}

/** Why a connection was not made, for the program that asked and for the event log. */
function describeFailure({ host }: ProxyRequest, error: unknown): string {
  return error instanceof Refusal ? error.message : `${host} could not be reached: ${networkProblem(error)}`;
}
