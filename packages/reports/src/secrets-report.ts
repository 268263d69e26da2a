// Formats the list of secrets that were found in the register.
import type { SecretRow } from "@signalbox/protocol";
import type { Layout } from "./layout.ts";
import { formatTable } from "./table.ts";

export type { SecretRow } from "@signalbox/protocol";

export function formatSecrets(rows: readonly SecretRow[], layout: Layout): string {
  return formatTable<SecretRow>(
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
