// A machine without a register, for load: it shares as a host does, over connections of its own, a log that is made up when it is read.
import { join } from "node:path";
import type { LogPosition, PortableEvent, PortableItems, ThreadSummaryRow } from "@signalbox/protocol";
import type { LocalLog } from "../src/database/local-log.ts";
import { Sharing } from "../src/database/sharing.ts";

export const eventsPerThread = 500;
const dayMs = 24 * 60 * 60 * 1000;

interface Load {
  readonly url: string;
  /** Where it remembers what it has shipped. */
  readonly folder: string;
  /** Its number among all machines. */
  readonly number: number;
  readonly machines: number;
  /** How many threads all machines have together. */
  readonly threads: number;
  /** A thread's row as a register makes it. */
  readonly example: ThreadSummaryRow;
  readonly onProblem: (line: string) => void;
}

export function simulatedMachine({ url, folder, number, machines, threads, example, onProblem }: Load): Sharing {
  const machine = `machine-${number}`;
  return new Sharing({
    url,
    machine,
    commands: { control: "off", key: undefined },
    program: "bench",
    positionsFile: join(folder, `${machine}.db`),
    log: simulatedLog(number, machines, threads, example),
    filter: { isShared: () => true, redact: undefined },
    remote: { onChanges: () => {}, onPresence: () => {} },
    onProblem: (line) => onProblem(`${machine} ${line}`),
  });
}

function simulatedLog(number: number, machines: number, threads: number, example: ThreadSummaryRow): LocalLog {
  const start = Date.now();
  // The threads of the last 90 days, the newest last.
  const timeOf = (thread: number) => start - Math.round(((threads - thread) / threads) * 90 * dayMs);
  const own: LogPosition[] = [];
  for (let thread = number; thread < threads; thread += machines)
    own.push({ thread_id: `t${thread}`, cwd: "/work", last_seq: eventsPerThread, updated_at: timeOf(thread) });
  return {
    listPositions: async () => own,
    async read(threadId, seq, maxLength) {
      const events: PortableEvent[] = [];
      for (let next = seq + 1, length = 0; next <= eventsPerThread && length < maxLength; next++) {
        const event = eventOf(next, timeOf(numberIn(threadId)));
        events.push(event);
        length += event.payload.length;
      }
      return events;
    },
    readBlob: () => Promise.reject(new Error("there are no blobs")),
    readCompleted: async (threadId, after, upTo) =>
      itemsOf(numberIn(threadId), after, upTo, timeOf(numberIn(threadId))),
    getThread: async (threadId) => ({
      ...example,
      id: threadId,
      title: `Thread ${numberIn(threadId)}`,
      last_seq: eventsPerThread,
      updated_at: timeOf(numberIn(threadId)),
    }),
  };
}

function numberIn(threadId: string): number {
  return Number(threadId.slice(1));
}

function eventOf(seq: number, ts: number): PortableEvent {
  const payload = JSON.stringify({
    sessionId: "s",
    update: {
      sessionUpdate: "tool_call_update",
      toolCallId: `t${seq % 50}`,
      title: `Read \`src/file-${seq}.ts\``,
      status: "completed",
    },
  });
  return { seq, ts, kind: "tool_call_update", payload, refs: [], blobs: [] };
}

/** Every tenth event completes an item and a tool call, every fiftieth a turn. */
function itemsOf(thread: number, after: number, upTo: number, ts: number): PortableItems {
  const seqs = Array.from({ length: Math.floor(upTo / 10) }, (_, index) => (index + 1) * 10).filter(
    (seq) => seq > after,
  );
  const rare = thread % 1000 === 77 ? " rare77" : "";
  const tokens = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };
  return {
    items: seqs.map((seq) => ({
      seq,
      item: "message",
      item_id: `m${seq}`,
      kind: "message",
      status: null,
      ts,
      title: "",
      body: `some words of message ${seq} in thread ${thread}${rare}`,
    })),
    tool_calls: seqs.map((seq) => {
      const kind = seq % 3 === 0 ? "edit" : "read";
      const paths = [`/work/src/file-${seq}.ts`];
      return { seq, kind, name: kind, status: "completed", ended_at: ts, ms: seq, waited_ms: 0, waits: [], paths };
    }),
    turns: seqs
      .filter((seq) => seq % 50 === 0)
      .map((seq) => ({
        turn_id: `turn-${seq}`,
        status: "ended",
        ended_at: ts,
        ms: seq,
        ...tokens,
        cost: 0.01,
        currency: "USD",
      })),
  };
}
