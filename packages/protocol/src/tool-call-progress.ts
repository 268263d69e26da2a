// How far a running tool call is, where its agent reports that: ACP has no field for it, so it is in `_meta` (docs/tool-calls.md).
import { isJsonObject } from "./json.ts";
import type { ToolCallRow } from "./tables.ts";

const progressKey = "signalbox/progress";

export interface ToolCallProgress {
  /** Between 0 and 1. */
  readonly part: number;
  readonly message: string | null;
}

/** Null when the call does not run, reports nothing, or does not know how much there is to do. */
export function toolCallProgress({ status, meta }: Pick<ToolCallRow, "status" | "meta">): ToolCallProgress | null {
  const report = status === "in_progress" ? meta?.[progressKey] : undefined;
  if (!isJsonObject(report)) return null;
  const { progress, total, message } = report;
  if (typeof progress !== "number" || typeof total !== "number" || !(total > 0)) return null;
  const part = Math.min(1, Math.max(0, progress / total));
  return { part, message: typeof message === "string" ? message : null };
}
