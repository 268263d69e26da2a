// Follows one stream for one screen: sends a snapshot, then every change after it, each exactly once. A screen that reads too slowly
// gets no changes until it has caught up, then a new snapshot.
import type { RequestId, SnapshotMessage } from "@signalbox/protocol";
import { HostError } from "../data/host-error.ts";
import type { Frame, FrameListener } from "./fan-out.ts";
import type { Outbox } from "./outbox.ts";

export interface SubscriptionSource {
  /** Calls back with each change; returns a function that stops it. */
  follow(listener: FrameListener): () => void;
  /** The snapshot, whole or only what is newer than `afterSeq`. `seq` is its last change; null where changes have no seq. */
  read(afterSeq: number | undefined): Promise<{ readonly message: SnapshotMessage; readonly seq: number | null }>;
}

type State =
  /** Changes wait while the snapshot is being read. */
  | { readonly name: "reading"; readonly waiting: Frame[] }
  | { readonly name: "following" }
  /** The screen reads too slowly: changes are dropped until it has caught up. */
  | { readonly name: "behind" }
  | { readonly name: "ended" };

/** More than this many changes during one read are dropped and read again instead. */
const waitingLimit = 10_000;

export class Subscription {
  readonly #source: SubscriptionSource;
  readonly #outbox: Outbox;
  readonly #unfollow: () => void;
  #state: State = { name: "behind" };
  /** The screen has everything up to this seq; undefined where changes have no seq. */
  #known: number | undefined;
  /** The request that the next snapshot answers. */
  #asked: RequestId | undefined;

  constructor(source: SubscriptionSource, outbox: Outbox, afterSeq: number | undefined) {
    this.#source = source;
    this.#outbox = outbox;
    this.#known = afterSeq;
    this.#unfollow = source.follow(outbox.guard((frame: Frame | null) => this.#receive(frame)));
  }

  /** Sends the snapshot, as the answer to the request where there is one, then follows. Throws when it is ended before that. */
  async start(requestId?: RequestId): Promise<void> {
    this.#asked = requestId;
    await this.#read();
  }

  end(): void {
    this.#state = { name: "ended" };
    this.#unfollow();
  }

  async #read(): Promise<void> {
    const reading: State = { name: "reading", waiting: [] };
    this.#state = reading;
    const { message, seq } = await this.#source.read(this.#known);
    if (this.#state !== reading) return this.#overtaken();
    const asked = this.#asked;
    this.#asked = undefined;
    this.#known = seq ?? undefined;
    this.#outbox.send(JSON.stringify(asked === undefined ? message : { ...message, request_id: asked }));
    this.#state = { name: "following" };
    for (const frame of reading.waiting) this.#receive(frame);
  }

  /** The snapshot is out of date. A screen that fell behind meanwhile gets its answer with the next snapshot. */
  #overtaken(): void {
    if (this.#state.name !== "ended" || this.#asked === undefined) return;
    throw new HostError("conflict", "This subscription was ended, or requested again, before it could be answered.");
  }

  #receive(frame: Frame | null): void {
    if (frame === null) return this.#startOver();
    switch (this.#state.name) {
      case "reading":
        if (this.#state.waiting.length < waitingLimit) this.#state.waiting.push(frame);
        else this.#fallBehind();
        return;
      case "following":
        if (isKnown(frame, this.#known)) return;
        if (this.#outbox.isFull) {
          if ("seq" in frame.change) this.#known = frame.change.seq - 1;
          this.#fallBehind();
        } else this.#outbox.send(frame.text);
        return;
      case "behind":
      case "ended":
        return;
    }
  }

  #startOver(): void {
    if (this.#state.name === "ended") return;
    this.#known = undefined;
    this.#fallBehind();
  }

  #fallBehind(): void {
    this.#state = { name: "behind" };
    this.#outbox.onceDrained(() => {
      if (this.#state.name === "behind") this.#read().catch(() => this.end());
    });
  }
}

/** Whether the snapshot already includes this change. */
function isKnown(frame: Frame, seq: number | undefined): boolean {
  return seq !== undefined && "seq" in frame.change && frame.change.seq <= seq;
}
