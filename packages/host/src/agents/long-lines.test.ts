import { expect, it } from "vitest";
import { LongLines } from "./long-lines.ts";

const line = (text: string) => Buffer.from(JSON.stringify({ method: "session/update", params: { update: { text } } }));

it("a long line is read while everything else goes on, and so is the next one", async () => {
  const lines = new LongLines();
  try {
    for (const size of [1_000_000, 300_000]) {
      let turns = 0;
      const timer = setInterval(() => turns++, 1);
      const read = await lines.read(line("ä".repeat(size)));
      clearInterval(timer);
      if (read.type !== "message") throw new Error(read.type);
      expect(read.lifted.texts.map(({ ref, bytes }) => [ref, bytes.length])).toEqual([
        ["/params/update/text", 2 * size],
      ]);
      // The thread has to be started for the first one: that alone takes longer than a millisecond.
      if (size === 1_000_000) expect(turns).toBeGreaterThan(0);
    }
  } finally {
    lines.close();
  }
});

it("a line in memory that grew, as the reader of the pipe has it", async () => {
  const bytes = line("x".repeat(500_000));
  const memory = new ArrayBuffer(bytes.length, { maxByteLength: 4 * bytes.length });
  new Uint8Array(memory).set(bytes);
  const lines = new LongLines();
  try {
    expect(await lines.read(Buffer.from(memory, 0, bytes.length))).toMatchObject({ type: "message" });
  } finally {
    lines.close();
  }
});
