// A scripted model behind real HTTP on loopback. It speaks the six wire formats of our providers, tells by the path which one is
// meant, says what the script says, and keeps what it was asked. Each request takes the next reply.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Answer, Failure, Fault, Reply } from "./script.ts";
import type { SeenRequest, WireName } from "./seen-request.ts";
import { fields, type Wire } from "./wire.ts";
import { anthropic } from "./wires/anthropic.ts";
import { bedrock } from "./wires/bedrock.ts";
import { gemini } from "./wires/gemini.ts";
import { ollama } from "./wires/ollama.ts";
import { openAIChat } from "./wires/openai-chat.ts";
import { openAIResponses } from "./wires/openai-responses.ts";

const wires: readonly Wire[] = [openAIResponses, openAIChat, anthropic, gemini, ollama, bedrock];

/** The replies in order, or a function that decides by what was asked. */
export type Script = readonly Reply[] | ((request: SeenRequest, index: number) => Reply);

interface ServerOptions {
  /** Knows this wire format alone and answers 404 to the others, as most real servers do. */
  readonly only?: WireName;
  /** What it lists as its models. */
  readonly models?: readonly object[];
  /** What it answers as the public list of models, at `/api.json`. */
  readonly catalogue?: object;
}

export class ModelServer implements AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Everything that was asked, in order. */
  readonly requests: SeenRequest[] = [];
  /** Where something was asked that this server does not have. */
  readonly unknownPaths: string[] = [];
  readonly #server: Server;
  #script: Script;
  readonly #wires: readonly Wire[];
  readonly #models: readonly object[];
  readonly #catalogue: object;
  #stalled = new AbortController();
  /** Milliseconds between the first byte of each request and the last of its answer. */
  #spentMs = 0;

  private constructor(server: Server, script: Script, { only, models = [], catalogue = {} }: ServerOptions) {
    this.#models = models;
    this.#catalogue = catalogue;
    this.#server = server;
    this.#script = script;
    this.#wires = only === undefined ? wires : wires.filter(({ name }) => name === only);
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("request", (request, response) => {
      const begun = performance.now();
      this.#serve(request, response)
        .catch(() => response.destroy())
        .finally(() => (this.#spentMs += performance.now() - begun));
    });
  }

  static async start(script: Script, options: ServerOptions = {}): Promise<ModelServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new ModelServer(server, script, options);
  }

  /** Says something else from now on, and forgets what it was asked. */
  use(script: Script): void {
    this.#stalled.abort();
    this.#stalled = new AbortController();
    this.#script = script;
    this.requests.length = 0;
    this.unknownPaths.length = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stalled.abort();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const receivedAt = performance.timeOrigin + performance.now();
    const { pathname: path, search: query } = new URL(request.url ?? "/", "http://localhost");
    if (request.method === "GET" && path.endsWith("/api/tags")) {
      sendJson(response, 200, { models: [{ name: "scripted", model: "scripted" }] });
      return;
    }
    if (request.method === "GET" && path.endsWith("/models")) {
      const key = request.headers["x-api-key"] ?? request.headers.authorization ?? "";
      if (String(key).includes("wrong")) sendJson(response, 401, { error: { message: "invalid key" } });
      else sendJson(response, 200, { data: this.#models });
      return;
    }
    if (request.method === "GET" && path === "/api.json") {
      sendJson(response, 200, this.#catalogue);
      return;
    }
    if (request.method === "GET" && path === "/spent") {
      sendJson(response, 200, { requests: this.requests.length, ms: this.#spentMs });
      return;
    }
    const wire = this.#wires.find((each) => each.matches(path));
    if (request.method !== "POST" || wire === undefined) {
      this.unknownPaths.push(path);
      sendJson(response, 404, { error: { message: `nothing is at ${path}`, code: 404 } });
      return;
    }
    const body = fields(JSON.parse(await textOf(request)));
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const seen: SeenRequest = { wire: wire.name, path, query, headers, body, receivedAt, ...wire.read(body, path) };
    this.requests.push(seen);
    const reply = this.#reply(seen);
    if ("refused" in reply) request.socket.destroy();
    else if ("status" in reply) sendFailure(response, wire, reply);
    else await this.#send(response, wire, reply, seen.model);
  }

  #reply(seen: SeenRequest): Reply {
    const index = this.requests.length - 1;
    if (typeof this.#script === "function") return this.#script(seen, index);
    return this.#script[index] ?? { status: 500, message: `the script has no reply for request ${index + 1}` };
  }

  async #send(response: ServerResponse, wire: Wire, answer: Answer, model: string): Promise<void> {
    const { fault } = answer;
    const { encoding = "utf8" } = wire;
    response.writeHead(200, { "content-type": wire.contentType });
    response.flushHeaders();
    const frames = wire.frames(answer, model);
    const whole = fault !== undefined && "after" in fault ? frames.slice(0, fault.after) : frames;
    if (fault?.type === "torn") await sendTorn(response, Buffer.from(whole.join(""), encoding));
    else if (fault?.type === "slow") await sendSlowly(response, whole, fault.ms, encoding);
    else response.write(whole.join(""), encoding);
    if (fault !== undefined && "after" in fault) {
      await this.#break(response, wire, fault, frames.slice(fault.after));
    }
    response.end();
  }

  async #break(
    response: ServerResponse,
    wire: Wire,
    fault: Extract<Fault, { after: number }>,
    rest: readonly string[],
  ): Promise<void> {
    // What was sent before is to arrive first.
    await pause(20);
    switch (fault.type) {
      case "drop":
        response.destroy();
        return;
      case "end":
        return;
      case "stall":
        await new Promise<void>((resolve) => {
          this.#stalled.signal.addEventListener("abort", () => resolve());
          response.on("close", resolve);
        });
        return;
      case "junk":
        response.write(wire.junkFrame + rest.join(""), wire.encoding ?? "utf8");
        return;
      case "error":
        response.write(wire.errorFrame(fault.message), wire.encoding ?? "utf8");
        return;
    }
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function sendFailure(response: ServerResponse, wire: Wire, { status, message, headers }: Failure): void {
  sendJson(response, status, wire.errorBody(status, message), headers);
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Failure["headers"] = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** Seven bytes at a time, each a packet of its own. */
async function sendTorn(response: ServerResponse, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; at += 7) {
    response.write(bytes.subarray(at, at + 7));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function sendSlowly(
  response: ServerResponse,
  frames: readonly string[],
  ms: number,
  encoding: BufferEncoding,
): Promise<void> {
  for (const frame of frames) {
    await pause(ms);
    if (response.destroyed) return;
    response.write(frame, encoding);
  }
}
