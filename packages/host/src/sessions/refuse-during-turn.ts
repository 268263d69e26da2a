// Refuses what cannot be done to a thread while its agent works.
import { HostError } from "../data/host-error.ts";
import type { Session } from "./session.ts";

/** Throws while a turn runs or waits for an answer. Asks the session: the thread's row in the register may still be on its way to the disk. */
export function refuseDuringTurn(session: Pick<Session, "isBusy"> | null, advice: string): void {
  if (session?.isBusy !== true) return;
  throw new HostError("conflict", `A turn runs in this thread. ${advice}`);
}
