// The Data section: where the data is and how large it is, the largest threads, and a button to free disk space.

import type { SetupRow } from "@signalbox/protocol";
import { bytes } from "@signalbox/protocol/sizes";
import { type QueryState, useQuery } from "@signalbox/react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { formatRoute } from "../../hooks/use-route.ts";
import { ErrorText } from "../shared/error-text.tsx";
import { RetentionForm } from "./retention-form.tsx";
import { Section } from "./section.tsx";

export function DataSettings({ setup }: { setup: QueryState<SetupRow> }) {
  const { connection, deletions } = useSignalbox();
  const sizes = useQuery("sizes.list", {});
  const { attempt, error, isBusy } = useAttempt();
  const stored = sizes.rows?.[0];
  const topThreads = (stored?.threads ?? []).toSorted((a, b) => b.bytes - a.bytes).slice(0, 8);
  const cleanUp = async () => {
    await attempt(() => connection.request("data.vacuum", {}));
    sizes.refresh();
  };
  const folder = setup.rows?.[0]?.data_dir;
  return (
    <Section
      title="Data"
      lead={folder === undefined ? "Everything is stored in one file." : `Stored in ${folder}.`}
      state={sizes}
    >
      {stored !== undefined && (
        <p className="row">
          <b>{bytes(stored.file)}</b>
          <button type="button" className="button" disabled={isBusy} onClick={() => void cleanUp()}>
            {isBusy ? "Cleaning up …" : "Clean up"}
          </button>
          <small className="hint">frees the disk space of deleted threads</small>
        </p>
      )}
      <RetentionForm />
      <ul className="rows">
        {topThreads.map(({ thread_id: id, title: name, bytes: size }) => {
          const title = name ?? "Untitled";
          return (
            <li key={id}>
              <a href={formatRoute({ page: "thread", threadId: id })}>{title}</a>
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
      <ErrorText error={error} />
    </Section>
  );
}
