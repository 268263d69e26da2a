// How much is kept and where; the biggest threads, and a way to give the space of deleted ones back.
import type { SetupRow } from "@signalbox/protocol";
import { useSignalbox } from "../../hooks/signalbox.tsx";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { type QueryState, useQuery } from "../../hooks/use-query.ts";
import { addressOf } from "../../hooks/use-route.ts";
import { useThreads } from "../../hooks/use-threads.ts";
import { bytes } from "../../text/sizes.ts";
import { Section } from "./section.tsx";

export function DataSettings({ setup }: { setup: QueryState<SetupRow> }) {
  const { connection, deletions } = useSignalbox();
  const sizes = useQuery("sizes.list", {});
  const threads = useThreads();
  const { attempt, error, isBusy } = useAttempt();
  const kept = sizes.rows?.[0];
  const biggest = (kept?.threads ?? []).toSorted((a, b) => b.bytes - a.bytes).slice(0, 8);
  const clean = async () => {
    await attempt(() => connection.request({ control: "data.vacuum" }));
    sizes.refresh();
  };
  const folder = setup.rows?.[0]?.data_dir;
  return (
    <Section
      title="Data"
      lead={folder === undefined ? "Everything is kept in one file." : `Everything is kept in ${folder}.`}
      state={sizes}
    >
      {kept !== undefined && (
        <p className="row">
          <b>{bytes(kept.file)}</b>
          <button type="button" className="button" disabled={isBusy} onClick={() => void clean()}>
            {isBusy ? "Cleaning up …" : "Clean up"}
          </button>
          <small className="hint">gives the space of deleted threads back to the disk</small>
        </p>
      )}
      <ul className="rows">
        {biggest.map(({ thread_id: id, bytes: size }) => {
          const title = threads?.find((thread) => thread.id === id)?.title ?? "Untitled";
          return (
            <li key={id}>
              <a href={addressOf({ page: "thread", threadId: id })}>{title}</a>
              <small>{bytes(size)}</small>
              <button
                type="button"
                className="quiet"
                aria-label={`Delete ${title}`}
                onClick={() => deletions.delete({ threadId: id, title })}
              >
                Delete
              </button>
            </li>
          );
        })}
      </ul>
      {error !== null && (
        <p role="alert" className="error">
          {error}
        </p>
      )}
    </Section>
  );
}
