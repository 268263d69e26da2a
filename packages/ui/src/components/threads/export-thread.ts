// Downloads an exported thread. The request needs the token, so it cannot be a plain link.
import type { ThreadRow } from "@signalbox/protocol";
import type { Connection } from "../../connection/connection.ts";

export const exportFormats = { md: "Markdown", html: "web page", json: "JSON" } as const;
export type ExportFormat = keyof typeof exportFormats;

export async function exportThread(connection: Connection, thread: ThreadRow, format: ExportFormat): Promise<void> {
  const file = await connection.download(`/export/${encodeURIComponent(thread.id)}?format=${format}`);
  const address = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = address;
  link.download = `${fileName(thread.title ?? thread.id)}.${format}`;
  link.click();
  // By then the browser has started to save it.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** A safe file name made from a title. Letters of every script stay. */
export function fileName(title: string): string {
  const name = title
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, "-")
    .replaceAll(/^[.-]+|-+$/g, "")
    .slice(0, 60);
  return name === "" ? "thread" : name;
}
