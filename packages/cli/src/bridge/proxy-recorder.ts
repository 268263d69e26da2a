// Sends the host a copy of the lines that pass through `signalbox proxy`. Never waits and never throws: the conversation goes on without it, and
// each problem is reported once.
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { encodeProxyFrame, type ProxyFrameKind } from "@signalbox/host/data";
import { messageOf } from "@signalbox/protocol";
import { LineSplitter } from "@signalbox/sandbox/lines";
import { WebSocket } from "ws";
import type { FoundHost } from "../host/find-host.ts";
import { trustCertificate } from "../host/trust-certificate.ts";

interface ProxyRecorderOptions {
  /** The agent's name in the register. */
  readonly name: string;
  readonly cwd: string;
  /** Finds the host, or starts one. */
  readonly reach: () => Promise<FoundHost>;
  readonly onProblem: (problem: string) => void;
  /** Milliseconds before the host is looked for again. */
  readonly retryMs?: number;
}

/** As much as the host takes, without the byte in front. */
const maxLineBytes = 64 * 1024 * 1024 - 1;
const maxWaitingBytes = 128 * 1024 * 1024;
const defaultRetryMs = 2000;
const lastFramesMs = 2000;

export class ProxyRecorder {
  readonly #options: ProxyRecorderOptions;
  readonly #fromClient = this.#splitter("client");
  readonly #fromAgent = this.#splitter("agent");
  /** Frames that wait for the host. */
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** Lines that the host never gets. */
  #lost = 0;
  #socket: WebSocket | null = null;
  #hasEnded = false;
  #problem = "";
  /** Resolves with the next connection. */
  #connected = Promise.withResolvers<void>();
  /** The last attempt found no host. */
  #isUnreachable = false;

  constructor(options: ProxyRecorderOptions) {
    this.#options = options;
    void this.#keepConnected();
  }

  fromClient(bytes: Buffer): void {
    this.#fromClient.push(bytes);
  }

  fromAgent(bytes: Buffer): void {
    this.#fromAgent.push(bytes);
  }

  /** Sends what is left, and how the agent ended. Resolves soon, also when the host does not. */
  async end(how: string): Promise<void> {
    this.#fromClient.end();
    this.#fromAgent.end();
    this.#add("exit", Buffer.from(how));
    const timeout = pause(lastFramesMs, undefined, { ref: false });
    // A host that is just being started gets the time to take what was said.
    if (this.#socket === null && !this.#isUnreachable) await Promise.race([this.#connected.promise, timeout]);
    this.#hasEnded = true;
    const socket = this.#socket;
    if (socket === null) return;
    const closed = once(socket, "close").catch(() => {});
    socket.close();
    await Promise.race([closed, timeout]);
    socket.terminate();
  }

  #splitter(side: "client" | "agent"): LineSplitter {
    return new LineSplitter(
      maxLineBytes,
      (line) => this.#add(side, line),
      () => void this.#lost++,
    );
  }

  #add(kind: ProxyFrameKind, body: Buffer): void {
    const unsent = this.#waitingBytes + (this.#socket?.bufferedAmount ?? 0);
    if (unsent + body.length > maxWaitingBytes) {
      this.#lost++;
      this.#report("The host is too slow: a part of the conversation is not recorded. The conversation goes on.");
      return;
    }
    const frame = encodeProxyFrame(kind, body);
    if (this.#socket?.readyState !== WebSocket.OPEN) {
      this.#waiting.push(frame);
      this.#waitingBytes += frame.length;
    } else this.#send(this.#socket, frame);
  }

  #send(socket: WebSocket, frame: Buffer): void {
    if (this.#lost > 0) {
      socket.send(encodeProxyFrame("lost", Buffer.from(String(this.#lost))));
      this.#lost = 0;
    }
    socket.send(frame);
  }

  async #keepConnected(): Promise<void> {
    while (!this.#hasEnded) {
      try {
        const socket = await this.#connect(await this.#options.reach());
        this.#problem = "";
        const [code, reason] = (await once(socket, "close")) as [number, Buffer];
        this.#socket = null;
        this.#connected = Promise.withResolvers<void>();
        if (this.#hasEnded) return;
        const why = reason.length > 0 ? reason.toString("utf8") : `the connection to the host closed (${code})`;
        this.#report(`Not recorded any more: ${why} The conversation goes on.`);
      } catch (error) {
        this.#isUnreachable = true;
        this.#drop();
        this.#report(`Not recorded: ${messageOf(error)} The conversation goes on.`);
      }
      await pause(this.#options.retryMs ?? defaultRetryMs, undefined, { ref: false });
    }
  }

  /** Throws when the host cannot be reached. */
  async #connect({ origin, token, certificate }: FoundHost): Promise<WebSocket> {
    const url = new URL("/proxy", origin);
    url.protocol = origin.protocol === "https:" ? "wss:" : "ws:";
    url.searchParams.set("name", this.#options.name);
    url.searchParams.set("cwd", this.#options.cwd);
    const socket = new WebSocket(url, {
      headers: { Authorization: `Bearer ${token}` },
      ...trustCertificate(certificate),
    });
    // A close always follows, and is handled.
    socket.on("error", () => {});
    await once(socket, "open");
    for (const frame of this.#waiting.splice(0)) this.#send(socket, frame);
    this.#waitingBytes = 0;
    this.#socket = socket;
    this.#isUnreachable = false;
    this.#connected.resolve();
    return socket;
  }

  /** What waited for a host that is not there. Later lines wait for the next attempt. */
  #drop(): void {
    this.#lost += this.#waiting.length;
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  #report(problem: string): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#options.onProblem(problem);
  }
}
