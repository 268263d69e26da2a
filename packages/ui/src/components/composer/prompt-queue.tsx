// Prompts that wait for the running turn: each can be changed or taken back until its turn comes.
import type { TurnRow } from "@signalbox/protocol";
import { useState } from "react";
import { useSignalbox } from "../../hooks/signalbox.tsx";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { textOfPrompt } from "./prompt-text.ts";

export function PromptQueue({ turns }: { turns: readonly TurnRow[] }) {
  const queued = turns.filter((turn) => turn.status === "queued");
  if (queued.length === 0) return null;
  return (
    <ol className="queue" aria-label="Queued prompts">
      {queued.map((turn) => (
        <QueuedPrompt key={turn.turn_id} turn={turn} />
      ))}
    </ol>
  );
}

function QueuedPrompt({ turn }: { turn: TurnRow }) {
  const { connection } = useSignalbox();
  const { attempt, error } = useAttempt();
  const [edited, setEdited] = useState<string | null>(null);
  const { thread_id, turn_id } = turn;
  const text = textOfPrompt(turn.prompt);
  const save = async () => {
    if (edited === null || edited.trim() === "") return;
    const rest = turn.prompt.filter((block) => block.type !== "text").map((block) => ({ ...block }));
    const prompt = [{ type: "text", text: edited }, ...rest];
    const isSaved = await attempt(() => connection.request({ control: "run.edit", thread_id, turn_id, prompt }));
    if (isSaved) setEdited(null);
  };
  const remove = () => void attempt(() => connection.request({ control: "run.remove", thread_id, turn_id }));
  return (
    <li>
      <small>next</small>
      {edited === null ? (
        <span className="queued">{text}</span>
      ) : (
        <textarea
          aria-label="Queued prompt"
          value={edited}
          rows={2}
          ref={(field) => field?.focus()}
          onChange={(event) => setEdited(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey) {
              event.preventDefault();
              void save();
            }
            if (event.key === "Escape") {
              event.stopPropagation();
              setEdited(null);
            }
          }}
        />
      )}
      {edited === null ? (
        <>
          <button type="button" className="quiet" onClick={() => setEdited(text)}>
            Edit
          </button>
          <button type="button" className="quiet" onClick={remove}>
            Remove
          </button>
        </>
      ) : (
        <button type="button" className="quiet" onClick={() => void save()}>
          Save
        </button>
      )}
      {error !== null && (
        <span role="alert" className="small-error">
          {error}
        </span>
      )}
    </li>
  );
}
