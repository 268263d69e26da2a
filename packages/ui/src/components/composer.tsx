// Where the next prompt is written: Enter sends, Shift+Enter makes a line, Escape stops a running turn.
import type { ThreadStatus } from "@signalbox/protocol";
import { type FormEvent, useState } from "react";
import { useSignalbox } from "../hooks/signalbox.tsx";
import { submitPrompt } from "./submit-prompt.ts";

export function Composer({ threadId, status }: { threadId: string; status: ThreadStatus }) {
  const { connection } = useSignalbox();
  const [text, setText] = useState("");
  const [error, setError] = useState<string | null>(null);
  const isBusy = status === "running" || status === "waiting";

  const attempt = async (work: Promise<unknown>) => {
    setError(null);
    try {
      await work;
      return true;
    } catch (reason) {
      setError(reason instanceof Error ? reason.message : String(reason));
      return false;
    }
  };
  const send = async () => {
    const prompt = text;
    if (prompt.trim() === "") return;
    setText("");
    // What could not be sent comes back into the field.
    if (!(await attempt(submitPrompt(connection, threadId, prompt)))) setText((now) => (now === "" ? prompt : now));
  };
  const stop = () => void attempt(connection.request({ control: "run.cancel", thread_id: threadId }));
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void send();
  };

  return (
    <footer className="composer">
      {error !== null && (
        <p role="alert" className="error">
          {error}
        </p>
      )}
      <form className="box" onSubmit={onSubmit}>
        <textarea
          aria-label="Prompt"
          placeholder="Reply"
          rows={2}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) onSubmit(event);
            if (event.key === "Escape" && isBusy) stop();
          }}
        />
        <div className="row">
          {isBusy && (
            <button type="button" className="stop-button" onClick={stop}>
              Stop <kbd>Esc</kbd>
            </button>
          )}
          <button type="submit" className="send" disabled={text.trim() === ""}>
            {isBusy ? "Queue" : "Send"}
          </button>
        </div>
      </form>
    </footer>
  );
}
