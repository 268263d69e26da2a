// Edits a prompt and tries again in a fork that begins before it; files can be put back to before it first. The thread itself stays as it is.

import { isTextBlock, type MessageRow, makeTitle, type TurnRow } from "@signalbox/protocol";
import { type HostConnection, submitPrompt } from "@signalbox/react";
import { useState } from "react";
import { forkBeforePrompt } from "../../connection/fork-before-prompt.ts";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { showNotice } from "../../stores/notices.ts";
import { goWhenReady } from "../../stores/person-activity.ts";
import { CheckBox } from "../shared/check-box.tsx";
import { ErrorText } from "../shared/error-text.tsx";
import { Sheet } from "../shared/sheet.tsx";

interface RetryDialogProps {
  readonly message: MessageRow;
  /** The prompt's turn, where its changes can be undone; else null. */
  readonly restoreTo: TurnRow | null;
  readonly onClose: () => void;
}

export default function RetryDialog({ message, restoreTo, onClose }: RetryDialogProps) {
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  const [text, setText] = useState(message.text);
  const [putsBack, setPutsBack] = useState(restoreTo !== null);
  const retry = () => {
    const openThread = goWhenReady();
    return attempt(async () => {
      const turn = putsBack ? restoreTo : null;
      if (turn !== null) await putFilesBack(connection, turn);
      const threadId = await forkBeforePrompt(connection, message, makeTitle(text));
      const others = (message.content ?? []).filter((block) => !isTextBlock(block));
      await submitPrompt(connection, threadId, [{ type: "text", text }, ...others]);
      openThread({ page: "thread", threadId }, "The new thread has started. It is in the list.");
    });
  };
  return (
    <Sheet title="Edit and retry" onClose={onClose}>
      <div className="restore commit">
        <textarea
          aria-label="Edited prompt"
          rows={6}
          value={text}
          dir="auto"
          onChange={(event) => setText(event.target.value)}
        />
        {restoreTo !== null && (
          <label>
            <CheckBox isOn={putsBack} onChange={setPutsBack} />
            Undo changes since this prompt
          </label>
        )}
        <p className="hint">
          It goes on in a new thread, in a new session of the agent that is told what was said and done before this
          prompt. This thread stays. A file that somebody else changed since stays too; what is undone can be redone
          here.
        </p>
        <ErrorText error={error} />
        <div className="restore-buttons">
          <button
            type="button"
            className="button primary"
            disabled={isBusy || text.trim() === ""}
            onClick={() => void retry()}
          >
            {isBusy ? "Forking …" : "Retry in a fork"}
          </button>
        </div>
      </div>
    </Sheet>
  );
}

async function putFilesBack(connection: HostConnection, { thread_id, turn_id }: TurnRow): Promise<void> {
  const { conflicts } = await connection.request("changes.restore", { thread_id, to_turn_id: turn_id });
  const kept = conflicts.map(({ path }) => path);
  if (kept.length > 0) showNotice(`Not undone, because somebody else changed it since: ${kept.join(", ")}`);
}
