// Prints the list of threads.
import { basename } from "node:path";
import type { ThreadRow, ThreadSummaryRow } from "@signalbox/protocol";
import { cleanLine } from "./clean-text.ts";
import type { Layout } from "./layout.ts";
import { threadStyle } from "./marks.ts";
import { moment } from "./measures.ts";
import { table } from "./table.ts";

/** On a terminal, enough of the id to type it. */
export function shownId(id: string, { isTerminal }: Pick<Layout, "isTerminal">): string {
  return isTerminal ? id.slice(0, 9) : id;
}

export function threadTitle({ title }: Pick<ThreadRow, "title">): string {
  return title === null || title.trim() === "" ? "(untitled)" : cleanLine(title);
}

export function threadsReport(threads: readonly ThreadSummaryRow[], layout: Layout): string {
  return table<ThreadSummaryRow>(
    threads,
    [
      { heading: "THREAD", cell: ({ id }) => shownId(id, layout), paint: (_row, paint) => paint.cyan },
      { heading: "STATUS", cell: ({ status }) => status, paint: ({ status }, paint) => threadStyle(status, paint) },
      { heading: "ACTIVE", cell: ({ updated_at }) => moment(updated_at, layout), dropOrder: 2 },
      { heading: "AGENT", cell: ({ agent_id }) => agent_id, minWidth: 8, dropOrder: 3 },
      { heading: "MSGS", cell: ({ message_count }) => String(message_count), align: "right", dropOrder: 5 },
      { heading: "TOOLS", cell: ({ tool_call_count }) => String(tool_call_count), align: "right", dropOrder: 5 },
      {
        heading: "FOLDER",
        cell: ({ cwd }) => (layout.isTerminal ? basename(cwd) || cwd : cwd),
        minWidth: 8,
        dropOrder: 4,
        paint: (_row, paint) => paint.dim,
      },
      { heading: "TITLE", cell: threadTitle, minWidth: 16 },
    ],
    layout,
  );
}
