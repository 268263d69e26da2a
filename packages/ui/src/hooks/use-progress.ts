import type { ProgressMessage } from "@signalbox/protocol";
import { useEffect, useState } from "react";
import { useSignalbox } from "./signalbox.ts";

/** The progress of a task of the host; null before the first report. */
export function useProgress(task: ProgressMessage["task"], subject: string): ProgressMessage | null {
  const { connection } = useSignalbox();
  const [progress, setProgress] = useState<ProgressMessage | null>(null);
  useEffect(
    () =>
      connection.onMessage((message) => {
        if (message.type === "host.progress" && message.task === task && message.subject === subject) {
          setProgress(message);
        }
      }),
    [connection, task, subject],
  );
  return progress;
}
