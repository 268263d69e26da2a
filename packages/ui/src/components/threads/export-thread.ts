// A whole thread as a file on the person's disk. The host wants the token for it, which a plain link cannot carry.
import type { ThreadRow } from "@signalbox/protocol";
import type { Connection } from "../../connection/connection.ts";

export const exportFormats = { md: "Markdown", html: "a web page", json: "JSON" } as const;
export type ExportFormat = keyof typeof exportFormats;

export async function exportThread(connection: Connection, thread: ThreadRow, format: ExportFormat): Promise<void> {
  const file = await connection.download(`/export/${encodeURIComponent(thread.id)}?format=${format}`);
  const address = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = address;
  link.download = `${fileName(thread.title ?? thread.id)}.${format}`;
  link.click();
  // The browser has begun to save it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** A title as a file's name: letters of every script, nothing that a path or a shell would read. */
export function fileName(title: string): string {
  const name = title
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, "-")
    .replaceAll(/^[.-]+|-+$/g, "")
    .slice(0, 60);
  return name === "" ? "thread" : name;
}
