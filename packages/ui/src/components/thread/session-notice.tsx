// Says that no agent runs for this thread, and brings it back: a prompt does it too, but not everybody wants to say something first.
import type { ThreadRow } from "@signalbox/protocol";
import { useSignalbox } from "../../hooks/signalbox.tsx";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { isAtRest } from "../threads/thread-menu.tsx";

export function SessionNotice({ thread }: { thread: ThreadRow }) {
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  if (!isAtRest(thread.status)) return null;
  const resume = () => void attempt(() => connection.request({ control: "session.resume", thread_id: thread.id }));
  return (
    <div className="session-notice">
      <span>{thread.status === "closed" ? "The session is closed." : "The agent is not running."}</span>
      <button type="button" className="button" disabled={isBusy} onClick={resume}>
        {isBusy ? "Resuming …" : "Resume"}
      </button>
      <span>A prompt resumes it as well.</span>
      {error !== null && (
        <p role="alert" className="error">
          {error}
        </p>
      )}
    </div>
  );
}
