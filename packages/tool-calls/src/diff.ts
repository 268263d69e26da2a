// The ACP content that shows an edit.
import type { ToolCallContent } from "@agentclientprotocol/sdk";

/** A diff of one file. `before` is null or undefined for a new file. The path should be absolute. */
export function diffOf(
  path: string,
  before: string | null | undefined,
  after: string,
): ToolCallContent & { type: "diff" } {
  return { type: "diff", path, oldText: before ?? null, newText: after };
}
