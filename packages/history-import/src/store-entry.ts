// Stores one entry of a history. Long texts are stored in slices, as with a running agent.
import { type Fact, isJsonObject, makeNotice, readUpdate, type Update } from "@signalbox/protocol";
import {
  AgentLineParser,
  type LogSource,
  type Register,
  sourceOfLine,
  stagedParts,
  stageTexts,
} from "@signalbox/tinyvex";
import type { ReadEntry } from "./history-worker.ts";

/** `at` is the time at which it happened. */
export async function storeEntry(register: Register, threadId: string, stored: ReadEntry, at: number): Promise<void> {
  if (stored.type === "entry") {
    const { entry } = stored;
    if (entry.type !== "fact") return register.append(threadId, { ...entry, at });
    const fact = await stageFactTexts(register, threadId, entry.fact);
    return register.append(threadId, { type: "fact", fact, at });
  }
  const { read } = stored;
  const stage = (update: Update | null, source: LogSource) => register.stage(threadId, { update, source });
  if (read.type === "message") {
    const parsed = new AgentLineParser().parseRead(read);
    if (parsed === null) return;
    for await (const { message, update, source } of stagedParts(parsed, stage)) {
      if (update !== null) register.append(threadId, { type: "update", update, source, at });
      else {
        const method = typeof message.method === "string" ? message.method : "";
        register.append(threadId, { type: "notification", method, params: message.params, source, at });
      }
    }
    return;
  }
  if (read.type !== "refused") return;
  const source = sourceOfLine(read.text);
  await stage(null, source);
  register.append(threadId, { type: "update", update: readUpdate(null), source, at });
  const description = `Reason: ${read.problem}. The event log has it as a text.`;
  const notice = makeNotice("A part of the history was not read", description);
  register.append(threadId, { type: "update", update: readUpdate({ sessionId: "", update: notice }), at });
}

/** Replaces long texts by references, which the register accepts in their place. */
async function stageFactTexts(register: Register, threadId: string, fact: Fact): Promise<Fact> {
  return isJsonObject(fact) ? ((await stageTexts(register, threadId, fact)) as unknown as Fact) : fact;
}
