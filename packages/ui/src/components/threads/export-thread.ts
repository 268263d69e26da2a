// Downloads an exported thread.

import type { ThreadRow } from "@signalbox/protocol";
import type { HostConnection } from "@signalbox/react";
import { saveFile } from "../shared/save-file.ts";

export const exportFormats = { md: "Markdown", html: "web page", json: "JSON" } as const;
export type ExportFormat = keyof typeof exportFormats;

export async function exportThread(connection: HostConnection, thread: ThreadRow, format: ExportFormat): Promise<void> {
  const path = `/export/${encodeURIComponent(thread.id)}?format=${format}`;
  await saveFile(connection, path, `${fileName(thread.title ?? thread.id)}.${format}`);
}

/** A safe file name made from a title. Letters of every script stay. */
export function fileName(title: string): string {
  const name = title
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, "-")
    .replaceAll(/^[.-]+|-+$/g, "")
    .slice(0, 60);
  return name === "" ? "thread" : name;
}
