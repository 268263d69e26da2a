// Serves one connected screen: checks and answers its frames, and keeps its subscriptions until it disconnects.
import {
  type CheckedQuery,
  type CheckedRequest,
  checkRequest,
  type MalformedRequest,
  type ProgressMessage,
  type RequestId,
  type ServerMessage,
} from "@signalbox/protocol";
import type { WebSocket } from "ws";
import type { Caller } from "../data/caller.ts";
import { answerRequest, isSubscription, toErrorMessage } from "./answer-request.ts";
import { describeFrameProblem } from "./frame-limits.ts";
import type { HostServices } from "./host-services.ts";
import { Outbox } from "./outbox.ts";
import { Subscription } from "./subscription.ts";
import { openSource } from "./subscription-source.ts";

/** Requests of one screen that are worked on at the same time. An answer can be several megabytes. */
const maxPending = 32;

/** Text as it came, or why it is not read. */
type Frame = string | MalformedRequest;

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
    socket.on(
      "message",
      this.#outbox.guard((data: Buffer, isBinary: boolean) => {
        this.#waiting.push(isBinary ? malformed("Frames are JSON text; this one was binary.") : readFrame(data));
        this.#work();
      }),
    );
    // The next message about progress says the same and more.
    const unlisten = services.fanOut.onProgress(
      this.#outbox.guard((message: ProgressMessage) => {
        if (!this.#outbox.isFull) this.#send(message);
      }),
    );
    socket.on(
      "close",
      this.#outbox.guard(() => {
        unlisten();
        this.#end();
      }),
    );
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
      this.#outbox.guard(async () => {
        await this.#receive(frame).finally(() => this.#pending--);
        this.#work();
      })();
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
    const request = typeof frame === "string" ? parse(frame) : frame;
    if (request.type === "malformed") {
      this.#send({ type: "tinyvex.error", request_id: request.id, code: "bad_request", message: request.problem });
      return;
    }
    try {
      await this.#answer(request);
    } catch (error) {
      this.#send(toErrorMessage(error, request.id));
    }
  }

  async #answer(request: CheckedRequest | CheckedQuery): Promise<void> {
    if (request.type === "query" || !isSubscription(request))
      return this.#send(await answerRequest(request, this.#services, this.#caller));
    const { id, name, params } = request;
    const key = makeKey(params);
    if (name === "tvx.unsubscribe") {
      this.#subscriptions.get(key)?.end();
      this.#subscriptions.delete(key);
      return this.#send({ type: "tinyvex.ok", request_id: id });
    }
    const source = openSource(params, this.#services);
    this.#subscriptions.get(key)?.end();
    const subscription = new Subscription(source, this.#outbox, params.after_seq);
    this.#subscriptions.set(key, subscription);
    try {
      await subscription.start(id);
    } catch (error) {
      subscription.end();
      throw error;
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

function makeKey({ stream, thread_id }: { stream: string; thread_id?: string | undefined }): string {
  return `${stream} ${thread_id ?? ""}`;
}

function malformed(problem: string, id?: RequestId): MalformedRequest {
  return { type: "malformed", id, problem };
}

/** A frame that is not read is answered too, if its id is at the beginning. */
function readFrame(data: Buffer): Frame {
  const problem = describeFrameProblem(data);
  if (problem === undefined) return data.toString("utf8");
  const [, id] = /^\s*\{\s*"id"\s*:\s*("[^"\\]{0,200}"|\d{1,15})\s*,/.exec(data.toString("latin1", 0, 300)) ?? [];
  return malformed(problem, id === undefined ? undefined : (JSON.parse(id) as RequestId));
}

function parse(text: string): ReturnType<typeof checkRequest> {
  try {
    return checkRequest(JSON.parse(text));
  } catch {
    return malformed("This frame is not JSON.");
  }
}
