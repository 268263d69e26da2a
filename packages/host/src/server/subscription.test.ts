import type { MessageChange, ServerMessage, SnapshotMessage, ThreadChange, ThreadView } from "@signalbox/protocol";
import { applyChange, applySnapshot } from "@signalbox/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WebSocket } from "ws";
import { messageRow, threadSnapshot } from "../../../../test/support/rows.ts";
import { Frame, type FrameListener } from "./fan-out.ts";
import { Outbox } from "./outbox.ts";
import { Subscription } from "./subscription.ts";

/** A thread of one growing message; each step is one committed change. */
class GrowingThread {
  readonly #listeners = new Set<FrameListener>();
  #text = "";
  #seq = 0;

  get text(): string {
    return this.#text;
  }

  readonly follow = (listener: FrameListener) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  grow(delta: string): void {
    this.#seq++;
    const change: MessageChange = {
      type: "tinyvex.update",
      stream: "messages",
      thread_id: "t",
      seq: this.#seq,
      item_id: "m1",
      item_seq: 1,
      role: "assistant",
      kind: "message",
      text_offset: this.#text.length,
      text_delta: delta,
      ts: 0,
    };
    this.#text += delta;
    for (const listener of this.#listeners) listener(new Frame(change));
  }

  /** Decides how things stand when asked, and answers later, as a real register does. */
  readonly read = async (): Promise<{ message: SnapshotMessage; seq: number }> => {
    const { text, seq } = { text: this.#text, seq: this.#seq };
    await Promise.resolve();
    const timeline = seq === 0 ? [] : [{ type: "message", ...messageRow({ last_seq: seq, text }) } as const];
    return {
      message: { type: "tinyvex.snapshot", stream: "thread", thread_id: "t", ...threadSnapshot({ timeline, seq }) },
      seq,
    };
  };
}

/** A socket whose other side reads only when the test calls readAll. */
class SlowSocket {
  readonly sent: ServerMessage[] = [];
  #unread: (() => void)[] = [];
  bufferedAmount = 0;
  readonly #weight: number;

  constructor(weight: number) {
    this.#weight = weight;
  }

  send(text: string, done: () => void): void {
    this.sent.push(JSON.parse(text) as ServerMessage);
    this.bufferedAmount += this.#weight;
    this.#unread.push(done);
  }

  readAll(): void {
    this.bufferedAmount = 0;
    for (const done of this.#unread.splice(0)) done();
  }
}

function viewAfter(messages: readonly ServerMessage[]): ThreadView | null {
  let view: ThreadView | null = null;
  for (const received of messages) {
    if (received.type === "tinyvex.snapshot" && received.stream === "thread") view = applySnapshot(view, received);
    else if (view !== null) view = applyChange(view, received as ThreadChange);
  }
  return view;
}

const textIn = (view: ThreadView | null) =>
  view?.timeline.map((item) => (item.type === "message" ? item.text : "")).join() ?? "";
const settle = () => new Promise((resolve) => setImmediate(resolve));
const megabyte = 1024 * 1024;

describe("following a thread", () => {
  it("[R4] gets no change that its snapshot already has", async () => {
    const thread = new GrowingThread();
    const socket = new SlowSocket(0);
    // Committed after the subscription follows, and before the snapshot is taken.
    const read = () => {
      thread.grow("a");
      return thread.read();
    };
    const source = { follow: thread.follow, read };
    const subscription = new Subscription(source, new Outbox(socket as unknown as WebSocket), undefined);
    await subscription.start(1);
    thread.grow("b");
    expect(socket.sent).toMatchObject([{ type: "tinyvex.snapshot", seq: 1 }, { text_delta: "b" }]);
  });

  it("[R4] shows every change once, with any timing and any reading speed", async () => {
    const step = fc.oneof(fc.string({ minLength: 1, maxLength: 3 }), fc.constant(null));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.array(step, { maxLength: 30 }), async (early, late) => {
        const thread = new GrowingThread();
        const socket = new SlowSocket(megabyte);
        const apply = (steps: readonly (string | null)[]) => {
          for (const delta of steps) {
            if (delta === null) socket.readAll();
            else thread.grow(delta);
          }
        };
        const subscription = new Subscription(thread, new Outbox(socket as unknown as WebSocket), undefined);
        const started = subscription.start(1);
        apply(early);
        await started;
        apply(late);
        await settle();
        socket.readAll();
        await settle();
        const view = viewAfter(socket.sent);
        expect(view?.gap).toBe(false);
        expect(textIn(view)).toBe(thread.text);
        expect(socket.sent[0]).toMatchObject({ type: "tinyvex.snapshot", request_id: 1 });
      }),
    );
  });

  it("sends a screen that does not read a bounded number of changes, then one snapshot", async () => {
    const thread = new GrowingThread();
    const socket = new SlowSocket(megabyte);
    const subscription = new Subscription(thread, new Outbox(socket as unknown as WebSocket), undefined);
    await subscription.start();
    for (let i = 0; i < 1000; i++) thread.grow("x");
    expect(socket.sent.length).toBeLessThan(10);
    socket.readAll();
    await settle();
    expect(socket.sent.at(-1)?.type).toBe("tinyvex.snapshot");
    expect(textIn(viewAfter(socket.sent))).toBe("x".repeat(1000));
  });

  it("sends nothing more after its end", async () => {
    const thread = new GrowingThread();
    const socket = new SlowSocket(1);
    const subscription = new Subscription(thread, new Outbox(socket as unknown as WebSocket), undefined);
    await subscription.start();
    subscription.end();
    thread.grow("late");
    expect(socket.sent).toHaveLength(1);
  });

  it("answers also when more changes come during the read than are queued", async () => {
    const thread = new GrowingThread();
    const socket = new SlowSocket(1);
    const subscription = new Subscription(thread, new Outbox(socket as unknown as WebSocket), undefined);
    const started = subscription.start(7);
    for (let i = 0; i < 10_001; i++) thread.grow("x");
    await started;
    await settle();
    expect(socket.sent[0]).toMatchObject({ type: "tinyvex.snapshot", request_id: 7 });
    expect(textIn(viewAfter(socket.sent))).toBe(thread.text);
  });

  it("that ends before it is answered rejects the request", async () => {
    const thread = new GrowingThread();
    const socket = new SlowSocket(1);
    const asked = new Subscription(thread, new Outbox(socket as unknown as WebSocket), undefined);
    const started = asked.start(7);
    asked.end();
    await expect(started).rejects.toMatchObject({ code: "conflict" });
    const unasked = new Subscription(thread, new Outbox(socket as unknown as WebSocket), undefined);
    const quiet = unasked.start();
    unasked.end();
    await quiet;
    expect(socket.sent).toEqual([]);
  });
});
