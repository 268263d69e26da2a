// Says which machine a thread is on, where machines share their threads, and whether that machine is there.
import type { MachineRow, ThreadRow } from "@signalbox/protocol";

/** Null when threads are not shared. */
export function machineLabel({
  machine,
  machine_online: isOnline,
}: Pick<ThreadRow, "machine" | "machine_online">): string | null {
  if (machine === undefined) return null;
  return isOnline === true ? machine : `${machine} (off)`;
}

/** The machine that the thread is on, if that is another one than this. */
export function machineElsewhere(
  { machine }: Pick<ThreadRow, "machine">,
  machines: readonly MachineRow[],
): string | null {
  const own = machines.find((row) => row.own)?.machine;
  return machine === undefined || own === undefined || machine === own ? null : machine;
}
