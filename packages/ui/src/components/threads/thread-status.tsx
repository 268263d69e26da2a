// Shows a thread's status as a coloured lamp with a label, never as colour alone.
import type { ThreadStatus } from "@signalbox/protocol";

const labels: Record<ThreadStatus, string> = {
  idle: "done",
  running: "working",
  waiting: "waiting for you",
  interrupted: "interrupted",
  failed: "failed",
  closed: "closed",
};

export function statusLabel(status: ThreadStatus): string {
  return labels[status];
}

export function StatusLamp({ status }: { status: ThreadStatus }) {
  return (
    <span
      className="lamp"
      data-status={status}
      role="img"
      aria-label={statusLabel(status)}
      title={statusLabel(status)}
    />
  );
}
