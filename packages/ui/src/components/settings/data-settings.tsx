// How much is kept and where; the biggest threads, and a way to give the space of deleted ones back.
import type { SetupRow } from "@signalbox/protocol";
import { useSignalbox } from "../../hooks/signalbox.tsx";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { type QueryState, useQuery } from "../../hooks/use-query.ts";
import { addressOf } from "../../hooks/use-route.ts";
import { useThreads } from "../../hooks/use-threads.ts";
import { bytes } from "../../text/sizes.ts";
import { Section } from "./section.tsx";

/** One row for the file (`thread_id` null) and one per thread. */
type SizeRow = { readonly thread_id: string | null; readonly bytes: number };

export function DataSettings({ setup }: { setup: QueryState<SetupRow> }) {
  const { connection, deletions } = useSignalbox();
  const sizes = useQuery<SizeRow>("sizes.list", {});
  const threads = useThreads();
  const { attempt, error, isBusy } = useAttempt();
  const file = sizes.rows?.find((row) => row.thread_id === null);
  const biggest = (sizes.rows ?? [])
    .filter((row) => row.thread_id !== null)
    .toSorted((a, b) => b.bytes - a.bytes)
    .slice(0, 8);
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
      {file !== undefined && (
        <p className="row">
          <b>{bytes(file.bytes)}</b>
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
            id !== null && (
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
            )
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
