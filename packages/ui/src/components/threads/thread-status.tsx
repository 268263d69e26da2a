// Shows a thread's status as a coloured lamp with a label, never as colour alone.
import type { ThreadRow, ThreadStatus } from "@signalbox/protocol";

type Status = Pick<ThreadRow, "status" | "starting">;

const labels: Record<ThreadStatus, string> = {
  idle: "done",
  running: "working",
  waiting: "waiting for you",
  interrupted: "interrupted",
  failed: "failed",
  closed: "closed",
};

export function statusLabel({ status, starting }: Status): string {
  return starting ? "starting" : labels[status];
}

/** `isNamed`: false where the label stands beside it. */
export function StatusLamp({ thread, isNamed = true }: { thread: Status; isNamed?: boolean }) {
  const label = statusLabel(thread);
  const status = thread.starting ? "running" : thread.status;
  if (!isNamed) return <span className="lamp" data-status={status} />;
  return <span className="lamp" data-status={status} role="img" aria-label={label} title={label} />;
}
