// Puts files of a thread back to how they were when a prompt was sent; not while a turn runs.

import type { RestoreRequest } from "@signalbox/checkpoints/restore-changes";
import type { RestoreResult } from "@signalbox/protocol";
import { HostError } from "../data/host-error.ts";
import { refuseDuringTurn } from "./refuse-during-turn.ts";
import type { SessionServices } from "./session-services.ts";
import type { Sessions } from "./sessions.ts";

export async function restoreFiles(
  services: Pick<SessionServices, "register" | "checkpoints"> & { readonly sessions: Pick<Sessions, "running"> },
  threadId: string,
  request: RestoreRequest,
): Promise<RestoreResult> {
  const thread = await services.register.getThread(threadId);
  if (thread === null) throw new HostError("not_found", `There is no thread ${threadId}.`);
  refuseDuringTurn(services.sessions.running(threadId), "Files can be put back when it has ended.");
  const { restoreChanges } = await import("@signalbox/checkpoints/restore-changes");
  return await restoreChanges(services, thread, request);
}
