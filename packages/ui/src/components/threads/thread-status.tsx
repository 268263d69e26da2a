// Shows a thread's state as a coloured lamp with a label, never as colour alone.
import type { ThreadRow, ThreadStatus } from "@signalbox/protocol";

type Status = Pick<ThreadRow, "status" | "starting" | "stopped">;
type ShownStatus = ThreadStatus | "stopped";

const labels: Record<ShownStatus, string> = {
  idle: "done",
  running: "working",
  waiting: "waiting for you",
  stopped: "stopped",
  interrupted: "stopped",
  failed: "failed",
  closed: "closed",
};

/** A turn that was stopped is not done. */
export function readStatus({ status, starting, stopped }: Status): ShownStatus {
  if (starting) return "running";
  return status === "idle" && stopped ? "stopped" : status;
}

export function statusLabel(thread: Status): string {
  return thread.starting ? "starting" : labels[readStatus(thread)];
}

/** `isNamed`: false where the label stands beside it. */
export function StatusLamp({ thread, isNamed = true }: { thread: Status; isNamed?: boolean }) {
  const label = statusLabel(thread);
  const status = readStatus(thread);
  if (!isNamed) return <span className="lamp" data-status={status} />;
  return <span className="lamp" data-status={status} role="img" aria-label={label} title={label} />;
}
