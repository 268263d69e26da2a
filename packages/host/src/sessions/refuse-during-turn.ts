// Refuses what cannot be done to a thread while its agent works.
import type { ThreadRow } from "@signalbox/protocol";
import { HostError } from "../data/host-error.ts";

/** Throws while a turn runs or waits for an answer. */
export function refuseDuringTurn({ status }: ThreadRow, advice: string): void {
  if (status !== "running" && status !== "waiting") return;
  throw new HostError("conflict", `A turn runs in this thread. ${advice}`);
}
