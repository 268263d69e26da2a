// The list of threads, and a thread's head, for a terminal.
import { basename } from "node:path";
import type { ThreadRow, ThreadSummaryRow } from "@signalbox/protocol";
import { cleanLine } from "./clean-text.ts";
import type { Look } from "./look.ts";
import { threadStyle } from "./marks.ts";
import { moment } from "./measures.ts";
import { table } from "./table.ts";

/** Enough of an id to type, and to be the only one that begins so. */
export function shownId(id: string, { isTerminal }: Pick<Look, "isTerminal">): string {
  return isTerminal ? id.slice(0, 9) : id;
}

export function threadTitle({ title }: Pick<ThreadRow, "title">): string {
  return title === null || title.trim() === "" ? "(untitled)" : cleanLine(title);
}

export function threadsReport(threads: readonly ThreadSummaryRow[], look: Look): string {
  return table<ThreadSummaryRow>(
    threads,
    [
      { heading: "THREAD", cell: ({ id }) => shownId(id, look), paint: (_row, paint) => paint.cyan },
      { heading: "STATUS", cell: ({ status }) => status, paint: ({ status }, paint) => threadStyle(status, paint) },
      { heading: "ACTIVE", cell: ({ updated_at }) => moment(updated_at, look), goes: 2 },
      { heading: "AGENT", cell: ({ agent_id }) => agent_id, shrinksTo: 8, goes: 3 },
      { heading: "MSGS", cell: ({ message_count }) => String(message_count), align: "right", goes: 5 },
      { heading: "TOOLS", cell: ({ tool_call_count }) => String(tool_call_count), align: "right", goes: 5 },
      {
        heading: "FOLDER",
        cell: ({ cwd }) => (look.isTerminal ? basename(cwd) || cwd : cwd),
        shrinksTo: 8,
        goes: 4,
        paint: (_row, paint) => paint.dim,
      },
      { heading: "TITLE", cell: threadTitle, shrinksTo: 16 },
    ],
    look,
  );
}
