// What runs on this machine for this thread. Asked for while the thread is busy; a host that does not say shows nothing.
import type { ThreadStatus } from "@signalbox/protocol";
import { useEffect } from "react";
import { useQuery } from "../../hooks/use-query.ts";
import { lastName } from "../../text/paths.ts";
import { bytes } from "../../text/sizes.ts";

export function ProcessList({ threadId, status }: { threadId: string; status: ThreadStatus }) {
  const { rows, refresh, isUnavailable } = useQuery("processes.list", { thread_id: threadId });
  const isBusy = status === "running" || status === "waiting";
  useEffect(() => {
    if (!isBusy || isUnavailable) return;
    refresh();
    const timer = setInterval(refresh, 4000);
    return () => clearInterval(timer);
  }, [isBusy, refresh, isUnavailable]);
  const own = (rows ?? []).filter((row) => row.thread_id === threadId);
  if (own.length === 0) return null;
  return (
    <section>
      <h2>Processes</h2>
      {own.map((row) => (
        <p className="pair" key={row.pid}>
          <span title={row.command}>{nameOf(row.command)}</span>
          <b>{row.memory_bytes === null ? "runs" : bytes(row.memory_bytes)}</b>
        </p>
      ))}
    </section>
  );
}

/** A program by its name, as a person would call it; its words after it. */
function nameOf(command: string): string {
  const [program = "", ...words] = command.split(" ");
  return [lastName(program), ...words.map(lastName)].join(" ");
}
