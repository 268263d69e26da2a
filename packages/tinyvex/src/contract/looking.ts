// Gives the contract's tests short ways to read a register.
import type { Change, MessageRow, ThreadChange, ThreadView, ToolCallRow } from "@signalbox/protocol";
import type { Register } from "../register.ts";

/** A fresh register, closed by the suite's caller when the test ends. */
export type Engine = () => Promise<{ readonly register: Register; reopen(): Promise<Register> }>;

/** Returns the visible part of a view: without the thread's row, which comes on a stream of its own, and without bookkeeping. */
export function visiblePart(view: ThreadView): unknown {
  return { ...view, thread: null, timeline: view.timeline.map((item) => ({ ...item, last_seq: 0 })) };
}

export async function timeline(register: Register, threadId: string): Promise<string[]> {
  const { rows } = await register.query("timeline.list", { thread_id: threadId, limit: 1000 });
  return rows.map(nameItem);
}

export function blocks(words: string): { type: string; text: string }[] {
  return [{ type: "text", text: words }];
}

/** Names an item in these tests: its text, or its tool call's id. */
export function nameItem(item: object): string {
  const { text, tool_call_id: id } = item as Partial<MessageRow & ToolCallRow>;
  return text ?? id ?? "";
}

export async function toolCallRow(register: Register, threadId: string, id: string): Promise<unknown> {
  const { rows } = await register.query("tool_calls.list", { thread_id: threadId });
  return rows.find(({ tool_call_id: other }) => other === id);
}

export async function isReadable(register: Register, change: Extract<Change, { seq: number }>): Promise<boolean> {
  const { rows } = await register.query("events.list", {
    thread_id: change.thread_id,
    after_seq: change.seq - 1,
    limit: 1,
  });
  return rows[0]?.seq === change.seq;
}

export function isThreadChange(change: Change): change is ThreadChange {
  return change.stream !== "threads";
}
