// Offers to run a command that failed in the sandbox once more, with more rights: the person sees exactly what would
// run, with its folder, variables and programs, and chooses what it gets.

import { formatShownCommand, type TerminalRow } from "@signalbox/protocol";
import { digestShown, useQuery } from "@signalbox/react";
import { describeRights, type EscalationTarget } from "@signalbox/rules";
import { useState } from "react";
import { useThreadPlace } from "../../hooks/open-thread.tsx";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { visible } from "../../text/visible.ts";
import { CommandView } from "../permission/command-view.tsx";
import { CheckBox, moveInRadioGroup, Radio } from "../shared/check-box.tsx";
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
  const [variables, setVariables] = useState<readonly string[]>([]);
  const wanted = {
    thread_id: threadId,
    terminal_id: terminal.terminal_id,
    to,
    variables: [...variables],
    ...(to === "write" ? { folder: folder.trim() } : {}),
  };
  const preview = useQuery("run_again.preview", wanted.folder === "" ? null : wanted);
  const shown = preview.rows?.[0];
  const command = shown?.subject.command ?? null;
  const run = async () => {
    if (shown === undefined || preview.isStale) return;
    const digest = await digestShown(formatShownCommand(shown));
    await connection.request("terminal.run_again", { ...wanted, ...(digest === undefined ? {} : { shown: digest }) });
    onClose();
  };
  const toggle = (variable: string) =>
    setVariables(
      variables.includes(variable) ? variables.filter((each) => each !== variable) : [...variables, variable],
    );
  return (
    <form
      className="run-again"
      aria-label="Run again with more rights"
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(run);
      }}
    >
      {shown === undefined || command === null ? (
        <pre className="command" dir="ltr">{`$ ${visible(terminal.command)}`}</pre>
      ) : (
        <CommandView
          subject={shown.subject}
          command={command}
          outside={shown.outside}
          folder={shown.subject.thread_folder}
          isWhole
          onWhole={() => {}}
          isByPerson
        />
      )}
      {shown !== undefined && shown.variables.length > 0 && (
        <fieldset className="run-again-variables">
          <legend>It runs with your own environment. Of the agent’s variables it gets those that you tick:</legend>
          {shown.variables.map((variable) => (
            <label key={variable.name}>
              <CheckBox isOn={variables.includes(variable.name)} onChange={() => toggle(variable.name)} />{" "}
              <code>{visible(variable.shown)}</code>
            </label>
          ))}
        </fieldset>
      )}
      <div role="radiogroup" aria-label="What it may do" onKeyDown={moveInRadioGroup}>
        {choices.map((choice) => (
          <label key={choice.to}>
            <Radio isOn={to === choice.to} onChoose={() => setTo(choice.to)} /> {choice.label}
          </label>
        ))}
      </div>
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
        <button type="submit" className="button" disabled={isBusy || shown === undefined || preview.isStale}>
          Run
        </button>
        <button type="button" className="quiet" onClick={onClose}>
          Cancel
        </button>
        <ErrorText error={error ?? preview.error} isInline />
      </div>
    </form>
  );
}
