// Serves one connected screen: checks and answers its frames, and keeps its subscriptions until it disconnects.
import {
  type ClientMessage,
  clientMessage,
  isNestedTooDeep,
  type RequestId,
  type ServerMessage,
} from "@signalbox/protocol";
import type { WebSocket } from "ws";
import { z } from "zod";
import type { Caller } from "../devices/caller.ts";
import { frameProblem } from "./frame-limits.ts";
import type { HostServices } from "./host-services.ts";
import { Outbox } from "./outbox.ts";
import { answerTo, errorMessage, subscriptionSource } from "./requests.ts";
import { Subscription } from "./subscription.ts";

/** Requests of one screen that are worked on at the same time. An answer can be several megabytes. */
const maxPending = 32;

interface Refused {
  readonly problem: string;
  readonly request_id?: RequestId;
}

/** Text as it came, or why it is not read. */
type Frame = string | Refused;

export class Screen {
  readonly #socket: WebSocket;
  readonly #outbox: Outbox;
  readonly #services: HostServices;
  readonly #caller: Caller;
  readonly #subscriptions = new Map<string, Subscription>();
  /** Frames that came while the screen did not read its answers. */
  readonly #waiting: Frame[] = [];
  #pending = 0;
  #waitsForDrain = false;

  constructor(socket: WebSocket, services: HostServices, caller: Caller) {
    this.#socket = socket;
    this.#outbox = new Outbox(socket);
    this.#services = services;
    this.#caller = caller;
    // With the default binary type every frame is one Buffer.
    socket.on("message", (data: Buffer, isBinary) => {
      this.#waiting.push(isBinary ? { problem: "Frames are JSON text; this one was binary." } : frameOf(data));
      this.#work();
    });
    // The next message about progress says the same and more.
    const unlisten = services.fanOut.onProgress((message) => {
      if (!this.#outbox.isFull) this.#send(message);
    });
    socket.on("close", () => {
      unlisten();
      this.#end();
    });
    // A close always follows, and is handled.
    socket.on("error", () => {});
  }

  /** A screen that does not read its answers gets no more of them, and what it asks is not read either. */
  #work(): void {
    while (this.#pending < maxPending && !this.#outbox.isFull) {
      const frame = this.#waiting.shift();
      if (frame === undefined) {
        if (this.#socket.isPaused) this.#socket.resume();
        return;
      }
      this.#pending++;
      void this.#receive(frame).finally(() => {
        this.#pending--;
        this.#work();
      });
    }
    this.#socket.pause();
    if (!this.#outbox.isFull || this.#waitsForDrain) return;
    this.#waitsForDrain = true;
    this.#outbox.onceDrained(() => {
      this.#waitsForDrain = false;
      this.#work();
    });
  }

  async #receive(frame: Frame): Promise<void> {
    const parsed = typeof frame === "string" ? parse(frame) : frame;
    if ("problem" in parsed) {
      const { request_id, problem } = parsed;
      this.#send({ type: "tinyvex.error", request_id, code: "bad_request", message: problem });
      return;
    }
    try {
      await this.#handle(parsed.message);
    } catch (error) {
      this.#send(errorMessage(error, parsed.message.id));
    }
  }

  async #handle(message: ClientMessage): Promise<void> {
    switch (message.control) {
      case "tvx.subscribe": {
        const key = keyOf(message);
        const source = subscriptionSource(message, this.#services);
        this.#subscriptions.get(key)?.end();
        const subscription = new Subscription(source, this.#outbox, message.after_seq);
        this.#subscriptions.set(key, subscription);
        try {
          await subscription.start(message.id);
        } catch (error) {
          subscription.end();
          throw error;
        }
        return;
      }
      case "tvx.unsubscribe":
        this.#subscriptions.get(keyOf(message))?.end();
        this.#subscriptions.delete(keyOf(message));
        this.#send({ type: "tinyvex.ok", request_id: message.id });
        return;
      default:
        this.#send(await answerTo(message, this.#services, this.#caller));
    }
  }

  #send(message: ServerMessage): void {
    this.#outbox.send(JSON.stringify(message));
  }

  #end(): void {
    this.#waiting.length = 0;
    for (const subscription of this.#subscriptions.values()) subscription.end();
    this.#subscriptions.clear();
  }
}

function keyOf({ stream, thread_id }: { stream: string; thread_id?: string | undefined }): string {
  return `${stream} ${thread_id ?? ""}`;
}

function frameOf(data: Buffer): Frame {
  const problem = frameProblem(data);
  if (problem === undefined) return data.toString("utf8");
  const [, id] = /^\s*\{\s*"id"\s*:\s*("[^"\\]{0,200}"|\d{1,15})\s*,/.exec(data.toString("latin1", 0, 300)) ?? [];
  const request_id = id === undefined ? undefined : (JSON.parse(id) as RequestId);
  return { problem, ...(request_id === undefined ? {} : { request_id }) };
}

function parse(text: string): { message: ClientMessage } | Refused {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { problem: "This frame is not JSON." };
  }
  const id = typeof json === "object" && json !== null && "id" in json ? json.id : undefined;
  const known = typeof id === "string" || typeof id === "number" ? { request_id: id } : {};
  if (isNestedTooDeep(json)) return { problem: "This frame is nested too deep.", ...known };
  const result = clientMessage.safeParse(json);
  if (result.success) return { message: result.data };
  return { problem: z.prettifyError(result.error), ...known };
}
