// Counts the prompts of a thread that are in the register, so that a replay can be told from news.
import type { MessageRow, ThreadRow } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";

const messagesPerPage = 1000;

/** A fork also has those of the thread it came from. */
export async function countKnownPrompts(register: Register, thread: ThreadRow): Promise<number> {
  let count = await countPrompts(register, thread.id, () => true);
  let child = thread;
  while (child.parent_thread_id !== null) {
    const parent = await register.getThread(child.parent_thread_id);
    // The agent of such a fork never had the parent's prompts as prompts.
    if (parent === null || child.fork?.by === "told") break;
    const { created_at: forkedAt, fork } = child;
    const end = fork?.before_seq ?? Number.POSITIVE_INFINITY;
    count += await countPrompts(register, parent.id, ({ seq, created_at }) => seq < end && created_at <= forkedAt);
    child = parent;
  }
  return count;
}

async function countPrompts(
  register: Register,
  threadId: string,
  counts: (message: MessageRow) => boolean,
): Promise<number> {
  let count = 0;
  let cursor: string | undefined;
  do {
    const args = { thread_id: threadId, limit: messagesPerPage, ...(cursor === undefined ? {} : { cursor }) };
    const { rows, next_cursor } = await register.query("messages.list", args);
    count += rows.filter((message) => message.role === "user" && counts(message)).length;
    cursor = next_cursor;
  } while (cursor !== undefined);
  return count;
}

/** Whether a turn of the thread ever began. */
export async function hasTurns(register: Register, threadId: string): Promise<boolean> {
  const { rows } = await register.query("turns.list", { thread_id: threadId, limit: 1 });
  return rows.some(({ started_at }) => started_at !== null);
}
