// Commits files from the page: a subject and a body proposed from the thread's title, the thread's own files ticked. What git or a hook says stands below.

import {
  type ChangeRow,
  type GitFile,
  type GitStateRow,
  HostError,
  isJsonObject,
  makeCommitMessage,
  messageOf,
  type ThreadRow,
} from "@signalbox/protocol";
import { type HostConnection, useQuery } from "@signalbox/react";
import { useState } from "react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { CheckBox } from "../shared/check-box.tsx";
import { ErrorText } from "../shared/error-text.tsx";
import { Sheet } from "../shared/sheet.tsx";

interface CommitDialogProps {
  readonly thread: ThreadRow;
  /** The thread's changes. */
  readonly changes: readonly ChangeRow[];
  readonly onClose: () => void;
}

/** Git's answer: the commit, or the reason why there is none. */
interface Outcome {
  readonly text: string;
  readonly output: string;
  readonly isDone: boolean;
}

export default function CommitDialog({ thread, changes, onClose }: CommitDialogProps) {
  const { rows, error } = useQuery("git.state", { thread_id: thread.id });
  const state = rows?.[0];
  return (
    <Sheet title={state === undefined ? "Commit" : `Commit on ${state.branch ?? "no branch"}`} onClose={onClose}>
      <div className="restore commit">
        <ErrorText error={error} />
        {rows === null && error === null && <p role="status">Looking at the files …</p>}
        {rows?.length === 0 && <p>This folder is in no git repository.</p>}
        {state !== undefined && <CommitForm thread={thread} changes={changes} state={state} onClose={onClose} />}
      </div>
    </Sheet>
  );
}

function CommitForm({ thread, changes, state, onClose }: CommitDialogProps & { state: GitStateRow }) {
  const { connection } = useSignalbox();
  const own = new Set(
    changes.flatMap(({ path, old_path }) => [path, old_path ?? path]).map((path) => `${state.prefix}${path}`),
  );
  const [message, setMessage] = useState(makeCommitMessage(thread.title ?? ""));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(state.files.map(({ path }) => path).filter((path) => own.has(path))),
  );
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [isBusy, setBusy] = useState(false);
  const commit = async () => {
    setBusy(true);
    setOutcome(null);
    setOutcome(await commitNow(connection, thread.id, message, [...chosen]));
    setBusy(false);
  };
  const toggle = (path: string) => {
    const next = new Set(chosen);
    if (!next.delete(path)) next.add(path);
    setChosen(next);
  };
  if (outcome?.isDone === true) {
    return (
      <>
        <p role="status">{outcome.text}</p>
        <Output text={outcome.output} />
        <div className="restore-buttons">
          <button type="button" className="button" onClick={onClose}>
            Close
          </button>
        </div>
      </>
    );
  }
  const lists = [
    ["Changed by this thread", state.files.filter(({ path }) => own.has(path))],
    ["Not changed by this thread", state.files.filter(({ path }) => !own.has(path))],
  ] as const;
  return (
    <>
      <textarea
        aria-label="Commit message"
        placeholder="Commit message"
        rows={3}
        value={message}
        dir="auto"
        onChange={(event) => setMessage(event.target.value)}
      />
      {state.files.length === 0 && <p>Nothing to commit: everything is committed.</p>}
      {lists.map(([name, files]) => (
        <FileChoice key={name} name={name} files={files} chosen={chosen} onToggle={toggle} />
      ))}
      {state.dirty > state.files.length && (
        <p className="hint">{state.dirty - state.files.length} more are not listed.</p>
      )}
      {outcome !== null && (
        <>
          <p role="alert" className="error">
            {outcome.text}
          </p>
          <Output text={outcome.output} />
        </>
      )}
      <div className="restore-buttons">
        <span className="hint">Your hooks run, with your rights.</span>
        <button
          type="button"
          className="button primary"
          disabled={isBusy || chosen.size === 0 || message.trim() === ""}
          onClick={() => void commit()}
        >
          {isBusy ? "Committing …" : `Commit ${chosen.size} ${chosen.size === 1 ? "file" : "files"}`}
        </button>
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </>
  );
}

interface FileChoiceProps {
  readonly name: string;
  readonly files: readonly GitFile[];
  readonly chosen: ReadonlySet<string>;
  readonly onToggle: (path: string) => void;
}

function FileChoice({ name, files, chosen, onToggle }: FileChoiceProps) {
  if (files.length === 0) return null;
  return (
    <fieldset>
      <legend>{name}</legend>
      {files.map(({ path, status }) => (
        <label key={path}>
          <CheckBox isOn={chosen.has(path)} onChange={() => onToggle(path)} />
          <bdi>{path}</bdi> <span className="chip">{status === "untracked" ? "new" : status}</span>
        </label>
      ))}
    </fieldset>
  );
}

export function Output({ text }: { text: string }) {
  return text.trim() === "" ? null : <pre className="agent-output">{text.trim()}</pre>;
}

async function commitNow(
  connection: HostConnection,
  threadId: string,
  message: string,
  paths: string[],
): Promise<Outcome> {
  try {
    const { commit, output } = await connection.request("git.commit", { thread_id: threadId, message, paths });
    return { text: `Committed ${commit.slice(0, 10)}.`, output, isDone: true };
  } catch (error) {
    return { text: messageOf(error), output: readGitOutput(error), isDone: false };
  }
}

/** Reads the output of git and its hooks from an error. */
export function readGitOutput(error: unknown): string {
  const output = error instanceof HostError && isJsonObject(error.details) ? error.details.output : "";
  return typeof output === "string" ? output : "";
}
