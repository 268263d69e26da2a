// Offers to open a server that a command of the thread started in the browser, and to close it again.
import type { PortRow } from "@signalbox/protocol";
import { type QueryState, useQuery } from "@signalbox/react";
import { useEffect } from "react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { ErrorText } from "../shared/error-text.tsx";

const refreshMs = 2000;

/** The ports of a thread, new every two seconds; null: do not ask. */
export function usePorts(
  threadId: string | null,
): { readonly ports: readonly PortRow[] } & Pick<QueryState<PortRow>, "error" | "refresh"> {
  const { rows, error, refresh } = useQuery("ports.list", threadId === null ? null : { thread_id: threadId });
  useEffect(() => {
    if (threadId === null) return;
    const timer = setInterval(refresh, refreshMs);
    return () => clearInterval(timer);
  }, [threadId, refresh]);
  return { ports: threadId === null ? [] : (rows ?? []), error, refresh };
}

/** On the card of a command that runs: the ports that its output names. */
export function PortsOnCard({ threadId, output }: { threadId: string; output: string }) {
  const { ports, refresh } = usePorts(threadId);
  const named = ports.filter(({ port }) => new RegExp(`(?<!\\d)${port}(?!\\d)`).test(output));
  return named.map((row) => <Port key={row.port} row={row} threadId={threadId} onChange={refresh} />);
}

interface PortProps {
  readonly row: PortRow;
  readonly threadId: string;
  readonly onChange: () => void;
}

export function Port({ row: { port, url, is_listening }, threadId, onChange }: PortProps) {
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  const change = (name: "port.open" | "port.close") => () =>
    void attempt(async () => {
      await connection.request(name, { thread_id: threadId, port });
      onChange();
    });
  return (
    <p className="open-port">
      {url === null ? (
        <button type="button" className="quiet" disabled={isBusy} onClick={change("port.open")}>
          {`Open http://localhost:${port}`}
        </button>
      ) : (
        <>
          {/* Its own site: it must not know the page that it was opened from. */}
          <a href={url} target="_blank" rel="noopener noreferrer">{`Port ${port} in the browser`}</a>{" "}
          <small>{is_listening ? "open on this machine" : "open, but no program listens any more"}</small>{" "}
          <button type="button" className="quiet" disabled={isBusy} onClick={change("port.close")}>
            {`Close port ${port}`}
          </button>
        </>
      )}
      <ErrorText error={error} isInline />
    </p>
  );
}
