// Says which machine a thread is on, where machines share their threads, and whether that machine is there.
import type { ThreadRow } from "@signalbox/protocol";

/** Null when threads are not shared. */
export function machineLabel({
  machine,
  machine_online: isOnline,
}: Pick<ThreadRow, "machine" | "machine_online">): string | null {
  if (machine === undefined) return null;
  return isOnline === true ? machine : `${machine} (off)`;
}
