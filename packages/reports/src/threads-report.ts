// Formats the list of threads.
import { basename } from "node:path";
import type { ThreadRow, ThreadSummaryRow } from "@signalbox/protocol";
import { cleanLine } from "./clean-text.ts";
import type { Layout } from "./layout.ts";
import { chooseThreadStyle } from "./marks.ts";
import { formatMoment } from "./measures.ts";
import { formatTable } from "./table.ts";

/** On a terminal, enough of the id to type it. */
export function formatThreadId(id: string, { isTerminal }: Pick<Layout, "isTerminal">): string {
  return isTerminal ? id.slice(0, 9) : id;
}

export function formatThreadTitle({ title }: Pick<ThreadRow, "title">): string {
  return title === null || title.trim() === "" ? "(untitled)" : cleanLine(title);
}

export function formatThreads(threads: readonly ThreadSummaryRow[], layout: Layout): string {
  return formatTable<ThreadSummaryRow>(
    threads,
    [
      { heading: "THREAD", cell: ({ id }) => formatThreadId(id, layout), paint: (_row, paint) => paint.cyan },
      {
        heading: "STATUS",
        cell: ({ status }) => status,
        paint: ({ status }, paint) => chooseThreadStyle(status, paint),
      },
      { heading: "ACTIVE", cell: ({ updated_at }) => formatMoment(updated_at, layout), dropOrder: 2 },
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
      { heading: "TITLE", cell: formatThreadTitle, minWidth: 16 },
    ],
    layout,
  );
}
