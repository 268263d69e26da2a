// Offers to run a command that failed in the sandbox once more, with more rights: the person sees the command and chooses what it gets.
import type { TerminalRow } from "@signalbox/protocol";
import { describeRights, type EscalationTarget } from "@signalbox/rules";
import { useId, useState } from "react";
import { useThreadPlace } from "../../hooks/open-thread.tsx";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { visible } from "../../text/visible.ts";
import { ErrorText } from "../shared/error-text.tsx";

const choices: readonly { readonly to: EscalationTarget; readonly label: string }[] = [
  { to: "network", label: "With the network" },
  { to: "write", label: "With one more folder to write" },
  { to: "outside", label: "Outside the sandbox" },
];

export function RunAgain({ terminal }: { terminal: TerminalRow }) {
  const [isOpen, setOpen] = useState(false);
  const threadId = useThreadPlace()?.threadId;
  if (threadId === undefined) return null;
  if (!isOpen) {
    return (
      <button type="button" className="quiet" onClick={() => setOpen(true)}>
        Run again with more rights…
      </button>
    );
  }
  return <RunAgainForm terminal={terminal} threadId={threadId} onClose={() => setOpen(false)} />;
}

interface RunAgainFormProps {
  readonly terminal: TerminalRow;
  readonly threadId: string;
  readonly onClose: () => void;
}

function RunAgainForm({ terminal, threadId, onClose }: RunAgainFormProps) {
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  const [to, setTo] = useState<EscalationTarget>("network");
  const [folder, setFolder] = useState("");
  const name = useId();
  const more = to === "write" ? { folder: folder.trim() } : {};
  const run = async () => {
    const { terminal_id } = terminal;
    await connection.request("terminal.run_again", { thread_id: threadId, terminal_id, to, ...more });
    onClose();
  };
  return (
    <form
      className="run-again"
      aria-label="Run again with more rights"
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(run);
      }}
    >
      <pre className="command" dir="ltr">{`$ ${visible(terminal.command)}`}</pre>
      {choices.map((choice) => (
        <label key={choice.to}>
          <input type="radio" name={name} checked={to === choice.to} onChange={() => setTo(choice.to)} /> {choice.label}
        </label>
      ))}
      {to === "write" && (
        <input
          type="text"
          aria-label="Folder"
          placeholder="/path/of/the/folder"
          value={folder}
          required
          onChange={({ target }) => setFolder(target.value)}
        />
      )}
      <p className="ask-note" data-caution>
        It gets:{" "}
        <strong>
          {visible(describeRights(to === "write" ? { to, folder: folder.trim() || "the folder" } : { to }))}
        </strong>{" "}
        The agent gets its output as a prompt.
      </p>
      <div className="run-again-acts">
        <button type="submit" className="button" disabled={isBusy}>
          Run
        </button>
        <button type="button" className="quiet" onClick={onClose}>
          Cancel
        </button>
        <ErrorText error={error} isInline />
      </div>
    </form>
  );
}
