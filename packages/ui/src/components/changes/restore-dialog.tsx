// Asks before changes are undone: what would happen to each file, and which stay because somebody else changed them. It can be redone.

import { messageOf, type RestoreResult } from "@signalbox/protocol";
import type { HostConnection } from "@signalbox/react";
import { useEffect, useState } from "react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { visible } from "../../text/visible.ts";
import { CheckBox } from "../shared/check-box.tsx";
import { Sheet } from "../shared/sheet.tsx";

export interface RestoredPart {
  readonly paths?: readonly string[];
  readonly hunks?: readonly {
    readonly path: string;
    readonly old_start: number;
    readonly old_lines: number;
    readonly new_start: number;
    readonly new_lines: number;
  }[];
}

export interface Restore extends RestoredPart {
  /** Files become as they were at the moment when the prompt of this turn was sent. */
  readonly toTurnId: string;
}

interface RestoreDialogProps {
  readonly threadId: string;
  readonly restore: Restore;
  readonly onClose: () => void;
  /** Called when changes were undone. */
  readonly onDone?: () => void;
  /** Goes on from there in a new thread; undefined where that is not offered. */
  readonly fork?: () => Promise<void>;
}

type State =
  | { readonly type: "asking" }
  | { readonly type: "planned" | "done" | "undone"; readonly result: RestoreResult }
  | { readonly type: "failed"; readonly message: string };

const actions = { changed: "undone", created: "created again", deleted: "deleted" } as const;

export default function RestoreDialog({ threadId, restore, onClose, onDone, fork }: RestoreDialogProps) {
  const { connection } = useSignalbox();
  const [state, setState] = useState<State>({ type: "asking" });
  const [isBusy, setBusy] = useState(false);
  const [forks, setForks] = useState(false);
  useEffect(() => {
    let isCurrent = true;
    request(connection, threadId, restore, true).then(
      (result) => isCurrent && setState({ type: "planned", result }),
      (error: unknown) => isCurrent && setState({ type: "failed", message: messageOf(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [connection, threadId, restore]);
  const run = async (what: Restore, type: "done" | "undone") => {
    setBusy(true);
    try {
      setState({ type, result: await request(connection, threadId, what, false) });
      onDone?.();
      if (type === "done" && forks) await fork?.();
    } catch (error) {
      setState({ type: "failed", message: messageOf(error) });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Sheet title="Undo changes" onClose={onClose}>
      <div className="restore">
        {state.type === "asking" && <p role="status">Looking at the files …</p>}
        {state.type === "failed" && (
          <p role="alert" className="error">
            {state.message}
          </p>
        )}
        {"result" in state && <Result state={state} />}
        {fork !== undefined && state.type === "planned" && state.result.files.length > 0 && (
          <label>
            <CheckBox isOn={forks} onChange={setForks} />
            Go on from there in a fork: a new thread, without what was said since
          </label>
        )}
        <div className="restore-buttons">
          {state.type === "planned" && state.result.files.length > 0 && (
            <button
              type="button"
              className="button primary"
              disabled={isBusy}
              onClick={() => void run(restore, "done")}
            >
              Undo {countFiles(state.result.files.length)}
            </button>
          )}
          {state.type === "done" && state.result.turn_id !== null && (
            <button
              type="button"
              className="button"
              disabled={isBusy}
              onClick={() => void run({ toTurnId: state.result.turn_id ?? "" }, "undone")}
            >
              Redo
            </button>
          )}
          <button type="button" className="button" onClick={onClose}>
            {state.type === "planned" ? "Cancel" : "Close"}
          </button>
        </div>
      </div>
    </Sheet>
  );
}

function Result({ state }: { state: Extract<State, { result: RestoreResult }> }) {
  const { files, conflicts } = state.result;
  return (
    <>
      {files.length === 0 && conflicts.length === 0 && <p>Nothing to undo: the files are as they were then.</p>}
      {files.length > 0 && (
        <p role="status">
          {state.type === "planned" &&
            "This is what happens. The files as they are now are kept first, so it can be redone. This conversation stays."}
          {state.type === "done" && `${countFiles(files.length)} undone.`}
          {state.type === "undone" && `Redone: ${countFiles(files.length)} as before.`}
        </p>
      )}
      <ul className="restore-files">
        {files.map(({ path, action }) => (
          <li key={path}>
            <bdi>{visible(path)}</bdi> <span className="chip">{actions[action]}</span>
          </li>
        ))}
      </ul>
      {conflicts.length > 0 && (
        <>
          <p className="file-note" data-caution>
            {conflicts.length === 1 ? "One file stays" : `${conflicts.length} files stay`} as{" "}
            {conflicts.length === 1 ? "it is" : "they are"}:
          </p>
          <ul className="restore-files">
            {conflicts.map(({ path, reason }) => (
              <li key={path}>
                <bdi>{visible(path)}</bdi>: {reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function countFiles(files: number): string {
  return `${files} ${files === 1 ? "file" : "files"}`;
}

async function request(
  connection: HostConnection,
  threadId: string,
  { toTurnId, paths, hunks }: Restore,
  dryRun: boolean,
): Promise<RestoreResult> {
  return await connection.request("changes.restore", {
    thread_id: threadId,
    to_turn_id: toTurnId,
    ...(paths !== undefined && { paths: [...paths] }),
    ...(hunks !== undefined && { hunks: hunks.map((hunk) => ({ ...hunk })) }),
    ...(dryRun && { dry_run: true }),
  });
}
