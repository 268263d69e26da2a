// Prints where secrets are.
import type { SecretRow } from "@signalbox/protocol";
import type { Layout } from "./layout.ts";
import { table } from "./table.ts";

export type { SecretRow } from "@signalbox/protocol";

export function secretsReport(rows: readonly SecretRow[], layout: Layout): string {
  return table<SecretRow>(
    rows,
    [
      { heading: "THREAD", cell: (row) => row.thread_id },
      { heading: "SEQ", cell: (row) => String(row.seq), align: "right" },
      { heading: "ITEM", cell: (row) => row.item },
      { heading: "ID", cell: (row) => row.item_id ?? "", dropOrder: 1 },
      { heading: "KIND", cell: (row) => row.kind.replaceAll("_", " ") },
      { heading: "BEGINS", cell: (row) => row.preview },
    ],
    layout,
  );
}
