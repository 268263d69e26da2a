// Maps the sessions of an agent to their threads, archived ones included.
import type { Register } from "@signalbox/tinyvex";

export async function threadsBySession(register: Register, agentId: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const archived of [true, false]) {
    let cursor: string | undefined;
    do {
      const page = await register.query("threads.list", { agent_id: agentId, archived, limit: 1000, cursor });
      for (const { id, session_id } of page.rows) if (session_id !== null) found.set(session_id, id);
      cursor = page.next_cursor;
    } while (cursor !== undefined);
  }
  return found;
}
