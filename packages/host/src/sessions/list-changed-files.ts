// Lists the files that a thread changed: those of its checkpoints, or, where it has none, those in the diffs of its tool calls.
import { HostError } from "@signalbox/protocol";
import type { SessionServices } from "./session-services.ts";

export async function listChangedFiles(
  { register, checkpoints }: Pick<SessionServices, "register" | "checkpoints">,
  thread_id: string,
): Promise<readonly string[]> {
  try {
    const { listChanges } = await import("@signalbox/checkpoints/list-changes");
    return (await listChanges({ register, checkpoints }, { thread_id })).map(({ path }) => path);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return (await register.query("changed_files.list", { thread_id })).rows.map(({ path }) => path);
  }
}
