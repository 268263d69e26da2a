import { describe, expect, it } from "vitest";
import { openRegister } from "../open-register.ts";
import { fact, output, says, threadWithTurn, toolCall } from "../testing/entries.ts";
import { temporaryRegister } from "../testing/temporary-register.ts";

const everything = { max_events: 10_000, max_length: Number.MAX_SAFE_INTEGER };

describe("a copy of a thread's log in another register", () => {
  it("[R10] is the same log, byte for byte, and gives the same rows", async () => {
    const { register, path } = await temporaryRegister();
    const id = await threadWithTurn(register);
    for (const text of ["one ", "two ", "three"]) register.append(id, says(text));
    register.append(id, toolCall("t", output("line\n".repeat(300))));
    register.append(id, toolCall("t", { status: "completed", ...output("line\n".repeat(30_000)) }));
    register.append(id, fact({ type: "terminal_created", terminal_id: "x", command: "ls", cwd: null }));
    register.append(id, fact({ type: "terminal_output", terminal_id: "x", text: "out\n" }));
    register.append(id, fact({ type: "terminal_output", terminal_id: "x", text: "y".repeat(100_000) }));
    register.append(id, fact({ type: "terminal_ended", terminal_id: "x", exit_code: 0, signal: null }));
    register.append(id, says("the end"));
    await register.settled(id);
    const copy = await openRegister({ path: `${path}.copy`, isCopy: true });
    const events = await Promise.all(
      (await register.readLog(id, 0, everything)).map(async (event) => ({
        ...event,
        blobs: await Promise.all(
          event.blobs.map(async (blob) => ({
            ...blob,
            bytes: blob.bytes ?? (await register.readBlob(blob.hash)).bytes,
          })),
        ),
      })),
    );
    for (let at = 0; at < events.length; at += 3) await copy.addCopies(id, events.slice(at, at + 3));
    await expect(copy.addCopies(id, events.slice(-1))).rejects.toMatchObject({ code: "conflict" });
    const log = async (from: typeof register) =>
      (await from.readLog(id, 0, everything)).map(({ seq, ts, kind, payload, refs }) => [seq, ts, kind, payload, refs]);
    expect(await log(copy)).toEqual(await log(register));
    expect(await copy.snapshot(id)).toEqual(await register.snapshot(id));
    await copy.close();
  });

  it("says what completed, to be searched and counted elsewhere, in parts that make the whole", async () => {
    const { register } = await temporaryRegister();
    const id = await threadWithTurn(register);
    register.append(id, says("hello"));
    register.append(id, toolCall("t", { status: "completed", kind: "read", ...output("found") }));
    register.append(id, says("still open"));
    await register.settled(id);
    const { last_seq: last = 0 } = (await register.getThread(id)) ?? {};
    const whole = await register.readCompleted(id, 0, last);
    expect(whole.items.map(({ item, kind, body }) => [item, kind, body.trim()])).toContainEqual([
      "tool_call",
      "read",
      "found",
    ]);
    expect(JSON.stringify(whole.items)).not.toContain("still open");
    expect(whole.tool_calls).toMatchObject([{ kind: "read", status: "completed" }]);
    const parts = await Promise.all([register.readCompleted(id, 0, 3), register.readCompleted(id, 3, last)]);
    expect(parts.flatMap(({ items }) => items)).toHaveLength(whole.items.length);
  });
});
