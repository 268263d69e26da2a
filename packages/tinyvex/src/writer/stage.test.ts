import type { Json } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { AgentLineParser } from "../log/agent-line.ts";
import type { Register } from "../register.ts";
import { fact, threadWithTurn } from "../testing/entries.ts";
import { indexed, storedRows } from "../testing/stored-rows.ts";
import { slow, temporaryRegister } from "../testing/temporary-register.ts";

const megabyte = 1024 * 1024;
const lines = (bytes: number) => "a line of a long output\n".repeat(Math.ceil(bytes / 24)).slice(0, bytes);

function updateWith(text: string) {
  const content = [{ type: "content", content: { type: "text", text } }];
  const update = { sessionUpdate: "tool_call_update", toolCallId: "t", status: "in_progress", content };
  const message = { jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update } };
  const parsed = new AgentLineParser().parse(Buffer.from(JSON.stringify(message)));
  if (parsed === null || parsed.update === null) throw new Error("no update");
  return { type: "update", update: parsed.update, source: parsed.source } as const;
}

/** How often others got their turn meanwhile. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await work;
  isDone = true;
  return turns;
}

async function bytesOf(register: Register): Promise<number> {
  return (await register.sizes()).threads[0]?.bytes ?? 0;
}

describe("a long text that is staged", slow, () => {
  it("is stored in slices, and the entry is the same as without", async () => {
    const { register, path } = await temporaryRegister();
    const id = await threadWithTurn(register);
    const update = updateWith(lines(5 * megabyte));
    expect(await turnsDuring(register.stage(id, update))).toBeGreaterThanOrEqual(4);
    const staged = await bytesOf(register);
    expect(staged).toBeGreaterThan(5 * megabyte);
    register.append(id, update);
    await register.settled(id);
    expect(await bytesOf(register)).toBeLessThan(staged + 200_000);
    const { rows } = await register.query("events.list", { thread_id: id, after_seq: 3, full: true });
    expect(JSON.stringify(rows[0]?.payload)).toContain(lines(1000).replaceAll("\n", "\\n"));
    await indexed(path);
    const live = storedRows(path);
    await register.rebuild();
    expect(storedRows(path)).toEqual(live);
  });

  it("and goes on from the one before is stored by what is new", async () => {
    const { register } = await temporaryRegister();
    const id = await threadWithTurn(register);
    for (const size of [3, 3.001, 5.5, 6]) {
      const update = updateWith(lines(size * megabyte));
      await register.stage(id, update);
      register.append(id, update);
      await register.settled(id);
    }
    expect(await bytesOf(register)).toBeLessThan(6.5 * megabyte);
    const { rows } = await register.query("events.list", { thread_id: id, after_seq: 3, full: true, limit: 10 });
    expect(rows.map(({ payload }) => textIn(payload) === lines(textIn(payload).length))).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  it("by two threads at the same time is stored once", async () => {
    const { register } = await temporaryRegister();
    const ids = [await threadWithTurn(register), await threadWithTurn(register)];
    const update = updateWith(lines(3 * megabyte));
    await Promise.all(ids.map((id) => register.stage(id, update)));
    for (const id of ids) register.append(id, update);
    await Promise.all(ids.map((id) => register.settled(id)));
    const { file } = await register.sizes();
    expect(file).toBeLessThan(9 * megabyte);
    await register.deleteThread(ids[0] ?? "");
    const { rows } = await register.query("events.list", { thread_id: ids[1] ?? "", after_seq: 3, full: true });
    expect(textIn(rows[0]?.payload ?? null)).toBe(lines(3 * megabyte));
  });

  it("of the host's own stands in an entry", async () => {
    const { register } = await temporaryRegister();
    const id = await threadWithTurn(register);
    const text = lines(2 * megabyte);
    const newText = await register.stageText(id, text);
    const tool_call = { toolCallId: "t", content: [{ type: "diff", path: "/a", newText }] };
    const question = { permission_id: "p", tool_call, options: [], rule: null, rule_if_remembered: null };
    register.append(id, fact({ type: "permission_requested", ...question }));
    await register.settled(id);
    const { rows } = await register.query("events.list", { thread_id: id, after_seq: 3, full: true });
    expect(rows[0]?.payload).toMatchObject({ tool_call: { content: [{ newText: text }] } });
    expect(await register.stageText(id, "half \ud800")).toBe("half \ud800");
  });

  it("for a thread that is gone is not stored", async () => {
    const { register } = await temporaryRegister();
    const id = await threadWithTurn(register);
    await register.deleteThread(id);
    await register.stage(id, updateWith(lines(2 * megabyte)));
    expect(await register.stageText(id, "text")).toBe("text");
  });
});

function textIn(payload: Json): string {
  return String(JSON.parse(JSON.stringify(payload)).update.content[0].content.text);
}
