// Lists queued prompts, which can be edited or removed. After a turn was stopped or failed, they are on hold until the person continues.
import type { TurnRow } from "@signalbox/protocol";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { ErrorText } from "../shared/error-text.tsx";
import { focusField } from "../shared/focus-field.ts";
import { textOfPrompt } from "./prompt-text.ts";
import { type QueueEdits, useQueueEdits } from "./use-queue-edits.ts";

export function PromptQueue({ turns }: { turns: readonly TurnRow[] }) {
  const queued = turns.filter((turn) => turn.status === "queued");
  const onHold = queued.filter((turn) => waitsForPerson(turn, turns));
  const [firstOnHold] = onHold;
  const edits = useQueueEdits(queued);
  if (queued.length === 0) return null;
  return (
    <>
      <ol className="queue" aria-label="Queued prompts">
        {queued.map((turn) => (
          <QueuedPrompt key={turn.turn_id} turn={turn} isOnHold={onHold.includes(turn)} edits={edits} />
        ))}
      </ol>
      {firstOnHold !== undefined && <OnHold threadId={firstOnHold.thread_id} />}
    </>
  );
}

/** A prompt queued during the running turn runs next. Others were put on hold when a turn stopped. */
function waitsForPerson(turn: TurnRow, turns: readonly TurnRow[]): boolean {
  const running = turns.find(({ status }) => status === "running");
  return running === undefined || turn.seq < running.seq;
}

function OnHold({ threadId }: { threadId: string }) {
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  const resume = () => void attempt(() => connection.request("run.continue", { thread_id: threadId }));
  return (
    <p className="on-hold">
      On hold because a turn stopped.{" "}
      <button type="button" className="button" disabled={isBusy} onClick={resume}>
        Continue
      </button>
      <ErrorText error={error} isInline />
    </p>
  );
}

interface QueuedPromptProps {
  readonly turn: TurnRow;
  readonly isOnHold: boolean;
  readonly edits: QueueEdits;
}

function QueuedPrompt({ turn, isOnHold, edits }: QueuedPromptProps) {
  const { connection } = useSignalbox();
  const { attempt, error } = useAttempt();
  const { thread_id, turn_id } = turn;
  const edited = edits.textOf(turn_id);
  const text = textOfPrompt(turn.prompt);
  const save = async () => {
    if (edited === null || edited.trim() === "") return;
    const rest = turn.prompt.filter((block) => block.type !== "text").map((block) => ({ ...block }));
    const prompt = [{ type: "text", text: edited }, ...rest];
    edits.change(turn_id, { isSaving: true });
    const isSaved = await attempt(() => connection.request("run.edit", { thread_id, turn_id, prompt }));
    if (isSaved) edits.end(turn_id);
    else edits.change(turn_id, { isSaving: false });
  };
  const remove = () => void attempt(() => connection.request("run.remove", { thread_id, turn_id }));
  return (
    <li>
      <small>{isOnHold ? "on hold" : "next"}</small>
      {edited === null ? (
        <span className="queued">{text}</span>
      ) : (
        <textarea
          aria-label="Queued prompt"
          value={edited}
          rows={2}
          ref={focusField}
          onChange={(event) => edits.change(turn_id, { text: event.target.value })}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey) {
              event.preventDefault();
              void save();
            }
            if (event.key === "Escape") {
              event.stopPropagation();
              edits.end(turn_id);
            }
          }}
        />
      )}
      {edited === null ? (
        <>
          <button type="button" className="quiet" onClick={() => edits.begin(turn, text)}>
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
      <ErrorText error={error} isInline />
    </li>
  );
}
