// Finds the secrets of threads, and takes them out: of every event, row and blob, of the index and of the file.
import type { PortableEvent, Redaction, SecretRow } from "@signalbox/protocol";
import type { Register } from "../register.ts";
import { type LogSourceOf, SecretScan, wholeLog } from "./secret-scan.ts";

export async function findThreadSecrets(register: LogSourceOf, threadId: string): Promise<readonly SecretRow[]> {
  return (await SecretScan.of(register, threadId)).rows;
}

/** Gets each thread that is changed, and must call `replace`. */
type Around = (threadId: string, replace: () => Promise<void>) => Promise<void>;

/** `seq`s and ids stay as they are. */
export async function redactThreads(
  register: Pick<Register, "readLog" | "readBlob" | "replaceLog" | "vacuum">,
  threadIds: readonly string[],
  around: Around = (_threadId, replace) => replace(),
): Promise<Redaction> {
  let redacted = 0;
  let threads = 0;
  for (const threadId of threadIds) {
    const scan = await SecretScan.of(register, threadId);
    if (scan.rows.length === 0) continue;
    await around(threadId, () => register.replaceLog(threadId, redactedLog(register, threadId, scan)));
    redacted += scan.rows.length;
    threads++;
  }
  if (threads > 0) await register.vacuum();
  return { redacted, threads };
}

async function* redactedLog(
  register: LogSourceOf,
  threadId: string,
  scan: SecretScan,
): AsyncGenerator<readonly PortableEvent[]> {
  for await (const events of wholeLog(register, threadId)) yield events.map((event) => scan.redact(event));
}
