// How many prompts of a thread the register has, so that a replay can be told from news. A fork has those of the thread it came from, too.
import type { MessageRow, ThreadRow } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";

/** So many messages the register gives at once. */
const page = 1000;

export async function knownPrompts(register: Register, thread: ThreadRow): Promise<number> {
  const own = await countPrompts(register, thread.id, Number.POSITIVE_INFINITY);
  let inherited = 0;
  let child = thread;
  let parent = await parentOf(register, child);
  while (parent !== null) {
    inherited += await countPrompts(register, parent.id, child.created_at);
    child = parent;
    parent = await parentOf(register, child);
  }
  return own + inherited;
}

async function countPrompts(register: Register, threadId: string, until: number): Promise<number> {
  let count = 0;
  let cursor: string | undefined;
  do {
    const args = { thread_id: threadId, limit: page, ...(cursor === undefined ? {} : { cursor }) };
    const { rows, next_cursor } = await register.query("messages.list", args);
    const messages = rows as unknown as readonly MessageRow[];
    count += messages.filter(({ role, created_at }) => role === "user" && created_at <= until).length;
    cursor = next_cursor;
  } while (cursor !== undefined);
  return count;
}

async function parentOf(register: Register, { parent_thread_id }: ThreadRow): Promise<ThreadRow | null> {
  return parent_thread_id === null ? null : await register.getThread(parent_thread_id);
}
