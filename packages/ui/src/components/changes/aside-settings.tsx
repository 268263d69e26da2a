// Shows settings that a command made and that were put aside, because programs outside would obey them, and lets the person keep or drop them.
import type { AsideRow } from "@signalbox/protocol";
import { useQuery } from "@signalbox/react";
import { useEffect, useRef } from "react";
import { hasPutAside } from "../../hooks/runs.ts";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { visible } from "../../text/visible.ts";
import { ErrorText } from "../shared/error-text.tsx";
import { Fold } from "../shared/fold.tsx";

/** On the card of a command that has ended: those that its output names. */
export function AsideOnCard({ threadId, output }: { threadId: string; output: string }) {
  const wasPutAside = hasPutAside({ output });
  const { rows, refresh } = useQuery("aside.list", wasPutAside ? { thread_id: threadId } : null);
  const named = (rows ?? []).filter(({ path }) => output.includes(path));
  return named.map((row) => <AsideSetting key={row.aside_id} row={row} threadId={threadId} onChange={refresh} />);
}

interface AsideSettingsProps {
  readonly threadId: string;
  /** They are read again when it changes. */
  readonly stamp: string;
  readonly onChange: () => void;
}

/** All of a thread's folder. */
export function AsideSettings({ threadId, stamp, onChange }: AsideSettingsProps) {
  const { rows, refresh } = useQuery("aside.list", { thread_id: threadId });
  const seen = useRef(stamp);
  useEffect(() => {
    if (seen.current === stamp) return;
    seen.current = stamp;
    refresh();
  }, [stamp, refresh]);
  const change = () => {
    refresh();
    onChange();
  };
  return (rows ?? []).map((row) => <AsideSetting key={row.aside_id} row={row} threadId={threadId} onChange={change} />);
}

interface AsideSettingProps {
  readonly row: AsideRow;
  readonly threadId: string;
  readonly onChange: () => void;
}

function AsideSetting({ row, threadId, onChange }: AsideSettingProps) {
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  const { aside_id, path, digest, files } = row;
  const keep = () =>
    void attempt(async () => {
      await connection.request("aside.keep", { thread_id: threadId, aside_id, digest });
      onChange();
    });
  const drop = () =>
    void attempt(async () => {
      await connection.request("aside.drop", { thread_id: threadId, aside_id });
      onChange();
    });
  return (
    <div className="file-note" data-caution>
      <Fold summary={<span>{`${visible(path)} was put aside: other programs would obey it`}</span>}>
        {files.map((file) => (
          <pre key={file.path}>
            {file.path !== "" && `${visible(file.path)}:${file.is_program ? " (a program)" : ""}\n`}
            {file.link === null
              ? file.text === null
                ? `${file.size} bytes`
                : visible(file.text)
              : `→ ${visible(file.link)}`}
          </pre>
        ))}
      </Fold>
      <button type="button" className="quiet" disabled={isBusy} onClick={keep} aria-label={`Keep ${path}`}>
        Keep
      </button>{" "}
      <button type="button" className="quiet" disabled={isBusy} onClick={drop} aria-label={`Drop ${path}`}>
        Drop
      </button>
      <ErrorText error={error} isInline />
    </div>
  );
}
