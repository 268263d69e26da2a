// Shows a thread's status as a coloured lamp with a label, never as colour alone.
import type { ThreadRow, ThreadStatus } from "@signalbox/protocol";

type Status = Pick<ThreadRow, "status" | "session_id">;

const labels: Record<ThreadStatus, string> = {
  idle: "done",
  running: "working",
  waiting: "waiting for you",
  interrupted: "interrupted",
  failed: "failed",
  closed: "closed",
};

/** A thread whose agent has not created its session yet. */
export function isStarting({ status, session_id }: Status): boolean {
  return status === "idle" && session_id === null;
}

export function statusLabel(thread: Status): string {
  return isStarting(thread) ? "starting" : labels[thread.status];
}

export function StatusLamp({ thread }: { thread: Status }) {
  const label = statusLabel(thread);
  const status = isStarting(thread) ? "running" : thread.status;
  return <span className="lamp" data-status={status} role="img" aria-label={label} title={label} />;
}
