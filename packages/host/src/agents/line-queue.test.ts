import { describe, expect, it } from "vitest";
import { LineQueue } from "./line-queue.ts";

function queueWith(handle: (line: string) => Promise<void> | undefined) {
  const calls: string[] = [];
  const source = { pause: () => calls.push("pause"), resume: () => calls.push("resume") };
  const failures: unknown[] = [];
  const queue = new LineQueue(
    source,
    (line) => {
      calls.push(line.toString());
      return handle(line.toString());
    },
    (error) => failures.push(error),
  );
  return { queue, calls, failures, push: (line: string) => queue.push(Buffer.from(line)) };
}

describe("lines of which some take a while", () => {
  it("are handled in their order, and the source waits meanwhile", async () => {
    const gates = new Map(["slow", "slow too"].map((name) => [name, Promise.withResolvers<void>()]));
    const { queue, calls, push } = queueWith((line) => gates.get(line)?.promise);
    for (const line of ["a", "slow", "b", "slow too", "c"]) push(line);
    expect(calls).toEqual(["a", "slow", "pause"]);
    expect(queue.isBusy).toBe(true);
    gates.get("slow")?.resolve();
    gates.get("slow too")?.resolve();
    await queue.waitUntilIdle();
    expect(calls).toEqual(["a", "slow", "pause", "b", "slow too", "pause", "c", "resume"]);
    expect(queue.isBusy).toBe(false);
  });

  it.each(["throws", "rejects"])("end when one %s: the source is told, and the others are dropped", async (how) => {
    const error = new Error("too much");
    const { queue, calls, failures, push } = queueWith((line) => {
      if (line !== "bad") return undefined;
      if (how === "throws") throw error;
      return Promise.reject(error);
    });
    for (const line of ["bad", "b"]) push(line);
    await queue.waitUntilIdle();
    push("c");
    expect(calls.filter((call) => call.length <= 3)).toEqual(["bad"]);
    expect(failures).toEqual([error]);
  });
});
