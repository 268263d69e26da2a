// Opens a port of a thread's program to the person's browser, and closes it.
import { HostError } from "../data/host-error.ts";
import type { Caller } from "../devices/caller.ts";
import type { Sessions } from "../sessions/sessions.ts";

interface PortRequest {
  readonly control: "port.open" | "port.close";
  readonly thread_id: string;
  readonly port: number;
}

/** Throws where no program of the thread listens there. Closing what is not open does nothing. */
export async function changePort(
  sessions: Pick<Sessions, "running">,
  { control, thread_id, port }: PortRequest,
  caller: Caller,
): Promise<void> {
  const by = caller.type === "device" ? `device:${caller.deviceId}` : caller.type;
  const ports = sessions.running(thread_id)?.ports;
  if (control === "port.close") {
    await ports?.close(port, by);
    return;
  }
  if (ports === undefined) {
    const why = "the agent does not run, or commands share no loopback on this machine (docs/sandbox.md)";
    throw new HostError("conflict", `The port ${port} cannot be opened: ${why}.`);
  }
  await ports.open(port, by);
}
