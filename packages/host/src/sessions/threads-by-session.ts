// Which thread has which of an agent's sessions, archived ones included.
import type { JsonObject, ThreadRow } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";

export async function threadsBySession(register: Register, agentId: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const archived of [true, false]) {
    let args: JsonObject | null = { agent_id: agentId, archived, limit: 1000 };
    while (args !== null) {
      const { rows, next_cursor }: Awaited<ReturnType<Register["query"]>> = await register.query("threads.list", args);
      for (const { id, session_id } of rows as unknown as readonly ThreadRow[]) {
        if (session_id !== null) found.set(session_id, id);
      }
      args = next_cursor === undefined ? null : { ...args, cursor: next_cursor };
    }
  }
  return found;
}
