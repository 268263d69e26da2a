// A thread's state as a lamp and a word: never colour alone.
import type { ThreadStatus } from "@signalbox/protocol";

const words: Record<ThreadStatus, string> = {
  idle: "done",
  running: "working",
  waiting: "waiting for you",
  interrupted: "interrupted",
  failed: "failed",
  closed: "closed",
};

export function wordFor(status: ThreadStatus): string {
  return words[status];
}

export function StatusLamp({ status }: { status: ThreadStatus }) {
  return <span className="lamp" data-status={status} role="img" aria-label={wordFor(status)} title={wordFor(status)} />;
}
