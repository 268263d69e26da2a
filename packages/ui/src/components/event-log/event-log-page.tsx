// The raw events of a thread, newest first, with filters; each opens to its JSON. For people who debug agents.

import { type EventRow, isJsonObject, type Json, type ThreadRow } from "@signalbox/protocol";
import { useQuery, useThreads } from "@signalbox/react";
import { useMemo, useState } from "react";
import { formatRoute } from "../../hooks/use-route.ts";
import { viewOfThread } from "../../stores/panes.ts";
import { clock } from "../../text/time.ts";
import { CopyButton } from "../shared/copy-button.tsx";
import { ListBox } from "../shared/list-box.tsx";
import { LoadProblem } from "../shared/load-problem.tsx";
import { LongText } from "../shared/long-text.tsx";

export default function EventLogPage({ threadId }: { threadId: string }) {
  const thread: ThreadRow | undefined = useThreads()?.find((row) => row.id === threadId);
  const state = useQuery("events.list", { thread_id: threadId, limit: 200 });
  const { rows, hasMore, loadMore, refresh } = state;
  const [kind, setKind] = useState("");
  const [text, setText] = useState("");
  const events = useMemo(() => (rows ?? []).toSorted((a, b) => b.seq - a.seq), [rows]);
  const kinds = useMemo(() => [...new Set(events.map((event) => event.kind))].toSorted(), [events]);
  const matching = useMemo(() => {
    const wanted = text.trim().toLowerCase();
    return events.filter(
      (event) =>
        (kind === "" || event.kind === kind) &&
        (wanted === "" || JSON.stringify(event.payload).toLowerCase().includes(wanted)),
    );
  }, [events, kind, text]);
  const newest = events[0]?.seq ?? 0;
  return (
    <div className="page event-log">
      <header className="page-head">
        <a href={formatRoute(viewOfThread(threadId))}>‹ {thread?.title ?? "Thread"}</a>
        <h1>Event log</h1>
        {thread !== undefined && thread.last_seq > newest && rows !== null && (
          <button type="button" className="button" onClick={refresh}>
            Show {thread.last_seq - newest} newer
          </button>
        )}
      </header>
      <div className="row filters">
        <span className="labelled">
          Kind
          <ListBox
            label="Kind"
            value={kind}
            onChange={setKind}
            options={[{ value: "", name: "any" }, ...kinds.map((name) => ({ value: name, name }))]}
          />
        </span>
        <label className="grow">
          Contains
          <input value={text} placeholder="any text in the JSON" onChange={(event) => setText(event.target.value)} />
        </label>
      </div>
      <LoadProblem what="The event log" state={state} />
      <p className="hint" role="status">
        {rows !== null && `${matching.length} of ${events.length} loaded events`}
      </p>
      <ol className="events">
        {matching.map((event) => (
          <li key={event.seq}>
            <EventLine event={event} />
          </li>
        ))}
      </ol>
      {hasMore && (
        <button type="button" className="more" onClick={loadMore}>
          Older events
        </button>
      )}
    </div>
  );
}

function EventLine({ event }: { event: EventRow }) {
  const [isOpen, setOpen] = useState(false);
  const line = useMemo(() => JSON.stringify(summarize(event.payload)).slice(0, 160), [event]);
  return (
    <>
      <button type="button" className="event" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span>{event.seq}</span>
        <time>{clock(event.ts)}</time>
        <b>{event.kind}</b>
        <code>{line}</code>
      </button>
      {isOpen && (
        <div className="event-json">
          <CopyButton text={JSON.stringify(event, null, 2)} label="Copy JSON" />
          <LongText text={JSON.stringify(event.payload, null, 2)} />
        </div>
      )}
    </>
  );
}

/** The update itself, without the session id and the kind, which are shown elsewhere. */
function summarize(payload: Json): Json {
  const update = isJsonObject(payload) && payload.update !== undefined ? payload.update : payload;
  if (!isJsonObject(update)) return update;
  return Object.fromEntries(Object.entries(update).filter(([name]) => name !== "sessionUpdate" && name !== "type"));
}
