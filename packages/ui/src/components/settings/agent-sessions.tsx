// The sessions that an agent stores itself, including those started elsewhere. Each can be resumed here as a thread.

import type { AgentSessionRow } from "@signalbox/protocol";
import { useQuery } from "@signalbox/react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { goWhenReady } from "../../stores/person-activity.ts";
import { ago } from "../../text/time.ts";
import { ErrorText } from "../shared/error-text.tsx";

export function AgentSessions({ agentId }: { agentId: string }) {
  const sessions = useQuery("agent_sessions.list", { agent_id: agentId });
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  const open = ({ session_id, cwd, title }: AgentSessionRow) => {
    const openThread = goWhenReady();
    return attempt(async () => {
      const named = title === null ? {} : { title };
      const { thread_id } = await connection.request("session.adopt", {
        agent_id: agentId,
        session_id,
        cwd,
        ...named,
      });
      openThread({ page: "thread", threadId: thread_id }, "The session is a thread now. It is in the list.");
    });
  };
  const problem = error ?? sessions.error;
  if (problem !== null) return <ErrorText error={problem} />;
  if (sessions.rows === null) return <p className="hint">Loading …</p>;
  if (sessions.rows.length === 0) return <p className="hint">No sessions.</p>;
  return (
    <>
      <ul className="rows">
        {sessions.rows.map((session) => (
          <li key={session.session_id}>
            <b>{session.title ?? session.session_id}</b>
            <small>
              {session.cwd}
              {session.updated_at !== null && `, ${ago(session.updated_at)}`}
            </small>
            <button type="button" className="button" disabled={isBusy} onClick={() => void open(session)}>
              {session.thread_id === null ? "Resume" : "Open"}
            </button>
          </li>
        ))}
      </ul>
      {sessions.hasMore && (
        <button type="button" className="button" onClick={sessions.loadMore}>
          More
        </button>
      )}
    </>
  );
}
