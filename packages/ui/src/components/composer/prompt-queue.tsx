// Prompts that wait: for the running turn, or, where a turn was stopped or failed, for a person who lets them go on. Each can be changed or
// taken back until its turn comes.
import type { TurnRow } from "@signalbox/protocol";
import { useState } from "react";
import { useSignalbox } from "../../hooks/signalbox.tsx";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { focusField } from "../shared/field-focus.ts";
import { textOfPrompt } from "./prompt-text.ts";

export function PromptQueue({ turns }: { turns: readonly TurnRow[] }) {
  const queued = turns.filter((turn) => turn.status === "queued");
  const held = queued.filter((turn) => isHeld(turn, turns));
  const [firstHeld] = held;
  if (queued.length === 0) return null;
  return (
    <>
      <ol className="queue" aria-label="Queued prompts">
        {queued.map((turn) => (
          <QueuedPrompt key={turn.turn_id} turn={turn} isHeld={held.includes(turn)} />
        ))}
      </ol>
      {firstHeld !== undefined && <HeldBack threadId={firstHeld.thread_id} />}
    </>
  );
}

/** What waits behind a running turn runs next. What waits without one, or from before it, was held back when something stopped. */
function isHeld(turn: TurnRow, turns: readonly TurnRow[]): boolean {
  const running = turns.find(({ status }) => status === "running");
  return running === undefined || turn.seq < running.seq;
}

function HeldBack({ threadId }: { threadId: string }) {
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  const go = () => void attempt(() => connection.request({ control: "run.continue", thread_id: threadId }));
  return (
    <p className="held-back">
      Held back when the work stopped.{" "}
      <button type="button" className="button" disabled={isBusy} onClick={go}>
        Run them now
      </button>
      {error !== null && (
        <span role="alert" className="small-error">
          {error}
        </span>
      )}
    </p>
  );
}

function QueuedPrompt({ turn, isHeld: isHeldBack }: { turn: TurnRow; isHeld: boolean }) {
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
      <small>{isHeldBack ? "held" : "next"}</small>
      {edited === null ? (
        <span className="queued">{text}</span>
      ) : (
        <textarea
          aria-label="Queued prompt"
          value={edited}
          rows={2}
          ref={focusField}
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
