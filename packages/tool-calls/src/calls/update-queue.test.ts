import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type TrackedUpdate, UpdateQueue } from "./update-queue.ts";

const update = (fields: object): TrackedUpdate => ({ sessionUpdate: "tool_call_update", toolCallId: "c", ...fields });

/** Takes each update only when `accept` is called. */
function slowSend() {
  const started: TrackedUpdate[] = [];
  const waiting: (() => void)[] = [];
  const send = (sent: TrackedUpdate) => {
    started.push(sent);
    return new Promise<void>((resolve) => waiting.push(resolve));
  };
  return { started, send, accept: () => waiting.shift()?.() };
}

describe("UpdateQueue", () => {
  it("sends immediately while the client takes everything immediately", () => {
    const sent: TrackedUpdate[] = [];
    const queue = new UpdateQueue((one) => {
      sent.push(one);
      return undefined;
    });
    queue.push(update({ title: "a" }));
    queue.push(update({ title: "b" }));
    expect(sent).toEqual([update({ title: "a" }), update({ title: "b" })]);
  });

  it("lets no update overtake another, however long each takes", async () => {
    const delays = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(delays, async (turns) => {
        const arrived: string[] = [];
        const queue = new UpdateQueue(async (one) => {
          const mine = turns[Number(one.sessionUpdate === "tool_call_update" && one.status)] ?? 0;
          for (let i = 0; i < mine; i++) await Promise.resolve();
          arrived.push(JSON.stringify(one));
        });
        // Statuses are never merged, so every one of them must arrive.
        const pushed = turns.map((_, index) => update({ status: String(index) }));
        for (const one of pushed) queue.push(one);
        await queue.idle();
        expect(arrived).toEqual(pushed.map((one) => JSON.stringify(one)));
      }),
    );
  });

  it("merges what waits and changes no status, so that a slow client makes little wait", async () => {
    const { started, send, accept } = slowSend();
    const queue = new UpdateQueue(send);
    queue.push(update({ status: "in_progress" }));
    for (let i = 0; i < 1000; i++) queue.push(update({ title: `t${i}` }));
    queue.push(update({ content: [] }));
    queue.push(update({ status: "completed" }));
    const idle = queue.idle();
    for (let i = 0; i < 3; i++) {
      accept();
      await new Promise(setImmediate);
    }
    await idle;
    expect(started).toEqual([
      update({ status: "in_progress" }),
      update({ title: "t999", content: [] }),
      update({ status: "completed" }),
    ]);
  });

  it("is idle only when the last update has been taken", async () => {
    const { send, accept } = slowSend();
    const queue = new UpdateQueue(send);
    queue.push(update({ title: "a" }));
    let idle = false;
    const done = queue.idle().then(() => {
      idle = true;
    });
    await new Promise(setImmediate);
    expect(idle).toBe(false);
    accept();
    await done;
    expect(idle).toBe(true);
  });
});
