// Connects an editor that speaks ACP over stdin and stdout with the host, which it starts where none runs. Messages pass unchanged. When the
// host is gone, what the editor asked is answered with an error; when it is back, each session goes on where the editor's copy ends.
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { connectionLost } from "@signalbox/client";
import { HostError, isJsonObject, type Json, type JsonObject, messageOf } from "@signalbox/protocol";
import { LineSplitter } from "@signalbox/sandbox/lines";
import { WebSocket } from "ws";
import { type FoundHost, findHost } from "../host/find-host.ts";
import { findOrStartHost, type HostStart } from "../host/start-host-process.ts";
import { trustCertificate } from "../host/trust-certificate.ts";
import { findThread, openForReading } from "../register/open-for-reading.ts";
import { AcpTraffic } from "./acp-traffic.ts";

interface AcpBridgeOptions {
  readonly dataFolder: string | undefined;
  /** How to start a host where none runs. */
  readonly start: HostStart;
  readonly agentId: string | undefined;
  /** The thread of the first session: its id, the beginning of it, or `last`. */
  readonly thread: string | undefined;
  readonly input: Readable;
  readonly output: Writable;
  /** Called with what a person at the editor should know; stdout carries ACP only. */
  readonly onProblem: (problem: string) => void;
}

/** As much as the host takes. */
const maxLineBytes = 64 * 1024 * 1024;
const fullBytes = 4 * 1024 * 1024;
const maxAttempts = 3;
const lookEveryMs = 500;
const lastAnswersMs = 2000;
const leftOpen = "The client closed its side before the answer was there. A turn that runs goes on in Signalbox.";

/** Resolves when the editor closes its side. Throws when there is no such thread. */
export async function runAcpBridge(options: AcpBridgeOptions): Promise<void> {
  const threadId = options.thread === undefined ? undefined : await findThreadId(options.thread, options.dataFolder);
  await new AcpBridge(options, threadId).run();
}

async function findThreadId(thread: string, dataFolder: string | undefined): Promise<string> {
  const register = await openForReading(dataFolder);
  if (register === null) throw new HostError("not_found", "There are no threads yet.");
  try {
    return (await findThread(register, thread)).id;
  } finally {
    await register.close();
  }
}

class AcpBridge {
  readonly #options: AcpBridgeOptions;
  readonly #firstThread: string | undefined;
  readonly #traffic = new AcpTraffic();
  /** Lines of the editor that wait for the host. */
  readonly #lines: (string | null)[] = [];
  #socket: WebSocket | null = null;
  /** Lines are being passed, or a host is being connected. */
  #working: Promise<void> | undefined;
  #hasEnded = false;
  #wasConnected = false;

  constructor(options: AcpBridgeOptions, firstThread: string | undefined) {
    this.#options = options;
    this.#firstThread = firstThread;
  }

  async run(): Promise<void> {
    const { input, output } = this.#options;
    const splitter = new LineSplitter(
      maxLineBytes,
      (line) => this.#lines.push(line.toString("utf8")),
      () => this.#lines.push(null),
    );
    // An editor that reads no more is gone.
    output.on("error", () => input.destroy());
    try {
      // Its end is seen for pipes, files and terminals alike; nothing more is read while lines wait for the host.
      for await (const bytes of input) {
        splitter.push(bytes);
        await this.#alone(() => this.#passAll());
      }
    } catch {
      // The editor is gone.
    }
    splitter.end();
    await this.#alone(() => this.#passAll());
    this.#hasEnded = true;
    if (this.#socket !== null) await this.#finish(this.#socket);
  }

  /** Waits a little for the answers that are owed, and answers the rest itself. */
  async #finish(socket: WebSocket): Promise<void> {
    const closed = once(socket, "close").catch(() => {});
    await Promise.race([this.#traffic.whenAnswered(), closed, pause(lastAnswersMs, undefined, { ref: false })]);
    for (const id of this.#traffic.lose().lost) this.#answer(id, -32603, leftOpen);
    socket.close();
    await Promise.race([closed, pause(lookEveryMs, undefined, { ref: false })]);
    socket.terminate();
  }

  /** One at a time: lines stay in order, and at most one host is connected. */
  async #alone(work: () => Promise<void>): Promise<void> {
    while (this.#working !== undefined) await this.#working;
    this.#working = work();
    await this.#working;
    this.#working = undefined;
  }

  async #passAll(): Promise<void> {
    for (let line = this.#lines.shift(); line !== undefined; line = this.#lines.shift()) await this.#pass(line);
  }

  async #pass(line: string | null): Promise<void> {
    if (line === null) {
      return this.#answer(
        null,
        -32600,
        `A message may have at most ${maxLineBytes / 1024 / 1024} MB. This one was dropped.`,
      );
    }
    const message = parse(line);
    let socket: WebSocket;
    try {
      socket = this.#socket ?? (await this.#reach());
    } catch (error) {
      if (message !== null && typeof message.method === "string" && "id" in message) {
        this.#answer(message.id ?? null, -32603, messageOf(error));
      } else this.#options.onProblem(messageOf(error));
      return;
    }
    const passed = message === null ? line : this.#traffic.toHost(line, message);
    if (passed === null) return;
    socket.send(passed);
    while (socket.bufferedAmount > fullBytes && socket.readyState === WebSocket.OPEN) await pause(10);
  }

  /** A host that was found may end before the connection is there: then there is another one, or one is started. */
  async #reach(): Promise<WebSocket> {
    for (let attempt = 1; ; attempt++) {
      const found = await findOrStartHost(this.#options.dataFolder, this.#options.start);
      try {
        return await this.#connect(found);
      } catch (error) {
        if (attempt === maxAttempts) throw explained(error);
      }
    }
  }

  /** Throws when the host cannot be reached. */
  async #connect({ origin, token, certificate }: FoundHost): Promise<WebSocket> {
    const url = new URL("/acp?positions", origin);
    url.protocol = origin.protocol === "https:" ? "wss:" : "ws:";
    const { agentId, output } = this.#options;
    if (agentId !== undefined) url.searchParams.set("agent", agentId);
    if (this.#firstThread !== undefined && !this.#wasConnected) url.searchParams.set("thread", this.#firstThread);
    const socket = new WebSocket(url, {
      headers: { Authorization: `Bearer ${token}` },
      ...trustCertificate(certificate),
    });
    socket.on("message", (data: Buffer) => {
      const line = this.#traffic.toClient(data.toString("utf8"));
      if (line === null || output.write(`${line}\n`) || socket.isPaused) return;
      // What was read already still comes.
      socket.pause();
      output.once("drain", () => socket.resume());
    });
    // A close always follows, and is handled.
    socket.on("error", () => {});
    await once(socket, "open");
    this.#wasConnected = true;
    const closed = once(socket, "close").then(() => true);
    const isLost = await Promise.race([closed, this.#traffic.reattach((request) => socket.send(request))]);
    if (isLost === true) throw new HostError("unavailable", "Signalbox was stopped while the editor connected to it.");
    socket.on("close", () => this.#lose(socket));
    this.#socket = socket;
    return socket;
  }

  #lose(socket: WebSocket): void {
    if (this.#socket !== socket) return;
    this.#socket = null;
    if (this.#hasEnded) return;
    const { lost, withdrawn } = this.#traffic.lose();
    const reason =
      "Signalbox was stopped, so this has no answer. What it had stored is kept, and the next message starts it again.";
    for (const id of lost) this.#answer(id, -32603, reason);
    for (const requestId of withdrawn)
      this.#write({ jsonrpc: "2.0", method: "$/cancel_request", params: { requestId } });
    this.#options.onProblem(connectionLost);
    void this.#lookForHost();
  }

  /** A host that somebody starts again goes on here without a message of the editor. */
  async #lookForHost(): Promise<void> {
    while (this.#socket === null && !this.#hasEnded) {
      await pause(lookEveryMs, undefined, { ref: false });
      if (this.#working !== undefined || this.#socket !== null) continue;
      const found = await findHost(this.#options.dataFolder);
      if (found === null || this.#working !== undefined || this.#socket !== null || this.#hasEnded) continue;
      await this.#alone(async () => void (await this.#connect(found).catch(() => {})));
    }
  }

  #answer(id: Json, code: number, message: string): void {
    this.#write({ jsonrpc: "2.0", id, error: { code, message } });
  }

  #write(message: JsonObject): void {
    this.#options.output.write(`${JSON.stringify(message)}\n`);
  }
}

/** What a person can do about it, where the host refused the connection. */
function explained(error: unknown): unknown {
  if (!(error instanceof Error) || !/ 40[13]$/.test(error.message)) return error;
  return new HostError(
    "unauthorized",
    "The running Signalbox refused the connection: the file `token` of its data folder is not the one that it started with. Restart Signalbox.",
  );
}

function parse(line: string): JsonObject | null {
  try {
    const value: Json = JSON.parse(line);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
