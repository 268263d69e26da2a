// Lists the questions that wait for a person on other machines, from copies of the threads that wait. A slow copy does not delay the answer:
// its questions are reported when they are known.
import { setTimeout as wait } from "node:timers/promises";
import type { QuestionRow } from "@signalbox/protocol";
import type { ThreadCopies } from "./copies.ts";
import type { SharedReader } from "./database/index.ts";

/** Only the newest waiting threads of other machines are read. */
const maxThreads = 20;
/** The first copy of a thread can take longer. */
const maxWaitMs = 300;
const maxQuestions = 1000;
const newest = [Number.MAX_SAFE_INTEGER, ""] as const;

export class RemoteQuestions {
  #known: readonly QuestionRow[] = [];

  /** Returns the oldest first. Calls `onLate` if other questions become known after it has returned. */
  async read(reader: SharedReader, copies: ThreadCopies, onLate: () => void): Promise<readonly QuestionRow[]> {
    const before = this.#known;
    const reading = this.#load(reader, copies);
    const now = await Promise.race([reading.catch(() => before), wait(maxWaitMs, null, { ref: false })]);
    if (now !== null) return now;
    void reading.then((rows) => joinIds(rows) !== joinIds(before) && onLate()).catch(() => {});
    return before;
  }

  async #load(reader: SharedReader, copies: ThreadCopies): Promise<readonly QuestionRow[]> {
    const waiting = await reader.listThreads({ status: "waiting" }, newest, maxThreads);
    for (const thread of waiting) await copies.bringUpToDate(thread);
    const machines = new Map(waiting.map(({ row, machine }) => [row.id, machine]));
    const { rows } = await copies.register.query("questions.list", { limit: maxQuestions });
    this.#known = rows.flatMap((row) => {
      const machine = machines.get(row.thread_id);
      return machine === undefined ? [] : [{ ...row, machine }];
    });
    return this.#known;
  }
}

function joinIds(questions: readonly QuestionRow[]): string {
  return questions.map((row) => (row.type === "permission" ? row.permission_id : row.elicitation_id)).join(" ");
}
