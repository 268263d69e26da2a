import { expect, it } from "vitest";
import { SerialQueue } from "./serial-queue.ts";

it("runs one after the other, in order, whatever takes longer", async () => {
  const queue = new SerialQueue();
  const log: string[] = [];
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const first = queue.run(async () => {
    log.push("first begins");
    await gate;
    log.push("first ends");
    return 1;
  });
  const second = queue.run(() => {
    log.push("second");
    return 2;
  });
  expect(queue.isIdle).toBe(false);
  open();
  expect(await Promise.all([first, second])).toEqual([1, 2]);
  expect(log).toEqual(["first begins", "first ends", "second"]);
  await queue.finished();
  expect(queue.isIdle).toBe(true);
});

it("tells the caller of a failure, and continues", async () => {
  const queue = new SerialQueue();
  const failing = queue.run(() => Promise.reject(new Error("broken")));
  const next = queue.run(() => "fine");
  await expect(failing).rejects.toThrow("broken");
  expect(await next).toBe("fine");
  await queue.finished();
});
