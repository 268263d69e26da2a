import { describe, expect, it } from "vitest";
import { blobThreshold } from "../blobs/limits.ts";
import { output, says, threadWithTurn, toolCall, toolUpdate, update } from "../testing/entries.ts";
import { indexed, storedRows } from "../testing/stored-rows.ts";
import { slow, temporaryRegister } from "../testing/temporary-register.ts";

describe("a payload with something big in it", slow, () => {
  const big = "é line of output\n".repeat(6000);

  it("is shown by its beginning, says where the whole lies, and comes back whole", async () => {
    const { register, path } = await temporaryRegister();
    const id = await threadWithTurn(register);
    const fields = {
      kind: "read",
      rawInput: { path: "/a" },
      rawOutput: { file: big },
      ...output(big),
      status: "completed",
    };
    register.append(id, toolCall("t", fields));
    await register.settled(id);
    const [row] = (await register.query("tool_calls.list", { thread_id: id })).rows;
    const content = JSON.parse(JSON.stringify(row?.content));
    const ref = content[0].content._meta["signalbox/blob"];
    expect(ref).toEqual({ hash: expect.stringMatching(/^[0-9a-f]{64}$/), size: Buffer.byteLength(big) });
    expect(big.startsWith(content[0].content.text)).toBe(true);
    expect(content[0].content.text.length).toBeGreaterThan(1000);
    expect(row?.raw_output).toMatchObject({ _meta: { "signalbox/blobs": { file: ref } } });
    expect(JSON.stringify(row).length).toBeLessThan(blobThreshold);
    const whole = await register.readBlob(ref.hash);
    expect(Buffer.from(whole.bytes).toString("utf8")).toBe(big);
    const [short] = (await register.query("events.list", { thread_id: id, after_seq: 3 })).rows;
    expect(short).toMatchObject({
      blobs: [
        { path: "/update/rawOutput/file", ...ref },
        { path: "/update/content/0/content/text", ...ref },
      ],
    });
    const [full] = (await register.query("events.list", { thread_id: id, after_seq: 3, full: true })).rows;
    expect(full?.payload).toEqual({
      sessionId: "session-1",
      update: { sessionUpdate: "tool_call", toolCallId: "t", title: "Tool t", ...fields },
    });
    await indexed(path);
    const live = storedRows(path);
    await register.rebuild();
    expect(storedRows(path)).toEqual(live);
  });

  it("is read by range, in bytes", async () => {
    const { register } = await temporaryRegister();
    const id = await threadWithTurn(register);
    const long = "0123456789".repeat(100_000);
    register.append(id, says(long));
    register.append(id, toolCall("t"));
    await register.settled(id);
    const [message] = (await register.query("messages.list", { thread_id: id })).rows.slice(-1);
    expect(message).toMatchObject({ text_len: 1_000_000, text_offset: 0, text_ref: { size: 1_000_000 } });
    const { hash } = JSON.parse(JSON.stringify(message?.text_ref));
    for (const [offset, length] of [
      [0, 5],
      [262_140, 20],
      [87_380, 700_000],
      [999_995, 50],
      [1_000_000, 5],
    ] as const) {
      const { rows } = await register.query("blob.get", { hash, offset, length });
      const data = long.slice(offset, offset + length);
      expect(rows).toEqual([{ hash, size: 1_000_000, offset, length: data.length, encoding: "utf8", data }]);
    }
    const { rows } = await register.query("blob.get", { hash });
    expect(rows[0]).toMatchObject({ length: 1_000_000 });
  });

  it("has a blob also where it is many small things, or no text at all", async () => {
    const { register, path } = await temporaryRegister();
    const id = await threadWithTurn(register);
    const many = Array.from({ length: 20_000 }, (_, index) => ({ path: `/file-${index}`, line: index }));
    register.append(
      id,
      toolCall("t", {
        locations: many,
        rawInput: many,
        content: [{ type: "diff", path: "/a", oldText: null, newText: big }],
      }),
    );
    register.append(id, update({ sessionUpdate: "dream", many }));
    await register.settled(id);
    const [row] = (await register.query("tool_calls.list", { thread_id: id })).rows;
    expect(JSON.stringify(row).length).toBeLessThan(blobThreshold * 2);
    expect(row?.raw_input).toMatchObject({ type: "text", _meta: { "signalbox/json": true } });
    expect(row?.content).toMatchObject([
      {
        type: "diff",
        path: "/a",
        oldText: null,
        _meta: { "signalbox/blobs": { newText: { size: Buffer.byteLength(big) } } },
      },
    ]);
    const { rows } = await register.query("events.list", { thread_id: id, after_seq: 3, full: true });
    expect(rows[0]?.payload).toMatchObject({ update: { rawInput: many } });
    expect(rows[1]?.payload).toMatchObject({ update: { many } });
    await indexed(path);
    const live = storedRows(path);
    await register.rebuild();
    expect(storedRows(path)).toEqual(live);
  });

  it("is stored once, however often and wherever it comes", async () => {
    const { register } = await temporaryRegister();
    const id = await threadWithTurn(register);
    for (let index = 0; index < 20; index++)
      register.append(id, toolCall(`t${index}`, { status: "completed", rawOutput: big, ...output(big) }));
    await register.settled(id);
    const { threads } = await register.sizes();
    expect(threads[0]?.bytes).toBeLessThan(Buffer.byteLength(big) + 20_000);
  });
});

describe("an output that is sent whole again with every update", slow, () => {
  const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index} "quoted"\n`).join("");

  it("is stored by what is new, and every update comes back as it was sent", async () => {
    const { register, path } = await temporaryRegister();
    const id = await threadWithTurn(register);
    for (let count = 50; count <= 8000; count += 50) {
      const fields = {
        status: "in_progress",
        ...output(lines(count)),
        rawOutput: { output: lines(count), exit: null },
      };
      register.append(id, toolUpdate("t", fields));
    }
    await register.settled(id);
    const whole = lines(8000);
    const { threads } = await register.sizes();
    expect(threads[0]?.bytes).toBeLessThan(whole.length * 1.5 + 100_000);
    register.append(id, toolUpdate("t", { status: "completed" }));
    await register.settled(id);
    const [row] = (await register.query("tool_calls.list", { thread_id: id })).rows;
    const content = JSON.parse(JSON.stringify(row?.content));
    const { hash, size } = content[0].content._meta["signalbox/blob"];
    expect(size).toBe(whole.length);
    expect(Buffer.from((await register.readBlob(hash)).bytes).toString()).toBe(whole);
    for (const count of [50, 100, 1000, 4000, 8000]) {
      const { rows } = await register.query("events.list", {
        thread_id: id,
        after_seq: 2 + count / 50,
        limit: 1,
        full: true,
      });
      expect(rows[0]?.payload).toMatchObject({
        update: { ...output(lines(count)), rawOutput: { output: lines(count) } },
      });
    }
    await indexed(path);
    const live = storedRows(path);
    await register.rebuild();
    expect(storedRows(path)).toEqual(live);
  });

  it("as a list of small things is stored by what is new too", async () => {
    const { register, path } = await temporaryRegister();
    const id = await threadWithTurn(register);
    const list = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        type: "content",
        content: { type: "text", text: `entry ${index} 😀` },
      }));
    const counts = Array.from({ length: 80 }, (_, index) => 10 + index * 10);
    for (const count of counts)
      register.append(id, toolUpdate("t", { status: "in_progress", content: list(count), rawOutput: { count } }));
    register.append(id, toolUpdate("t", { content: list(30) }));
    register.append(id, toolUpdate("t", { status: "completed", content: list(31) }));
    await register.settled(id);
    const { threads } = await register.sizes();
    expect(threads[0]?.bytes).toBeLessThan(4 * JSON.stringify(list(800)).length);
    const { rows } = await register.query("events.list", { thread_id: id, after_seq: 3, limit: 100, full: true });
    expect(rows.slice(0, 80).map(({ payload }) => payload)).toEqual(
      counts.map((count) => ({
        sessionId: "session-1",
        update: {
          sessionUpdate: "tool_call_update",
          toolCallId: "t",
          status: "in_progress",
          content: list(count),
          rawOutput: { count },
        },
      })),
    );
    expect(rows.at(-1)?.payload).toMatchObject({ update: { content: list(31) } });
    const [row] = (await register.query("tool_calls.list", { thread_id: id })).rows;
    expect(row).toMatchObject({ content: list(31), raw_output: { count: 800 } });
    await indexed(path);
    const live = storedRows(path);
    await register.rebuild();
    expect(storedRows(path)).toEqual(live);
  });

  it("can be read while it grows", async () => {
    const { register } = await temporaryRegister();
    const id = await threadWithTurn(register);
    register.append(id, toolCall("t", output(lines(5000))));
    register.append(id, toolUpdate("t", output(lines(6000))));
    await register.settled(id);
    const [row] = (await register.query("tool_calls.list", { thread_id: id })).rows;
    const { hash, size } = JSON.parse(JSON.stringify(row?.content))[0].content._meta["signalbox/blob"];
    expect(size).toBe(lines(6000).length);
    expect(Buffer.from((await register.readBlob(hash, { length: size })).bytes).toString()).toBe(lines(6000));
  });

  it("that starts over is another text", async () => {
    const { register } = await temporaryRegister();
    const id = await threadWithTurn(register);
    const texts = [lines(300), lines(300), `other ${lines(300)}`, lines(200), lines(301), ""];
    for (const said of texts) register.append(id, toolUpdate("t", output(said)));
    await register.settled(id);
    const { rows } = await register.query("events.list", { thread_id: id, after_seq: 3 });
    expect(rows.map(({ payload }) => payload)).toMatchObject(texts.map((said) => ({ update: output(said) })));
    const [row] = (await register.query("tool_calls.list", { thread_id: id })).rows;
    expect(row).toMatchObject(output(""));
  });
});
