// Merges the branch of a thread's worktree into the branch that it was made from, and shows what stands against it.
import { messageOf, type ThreadRow } from "@signalbox/protocol";
import { useState } from "react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { readRefusedFiles } from "../../text/refused-files.ts";
import { Sheet } from "../shared/sheet.tsx";
import { Output, readGitOutput } from "./commit-dialog.tsx";

type State =
  | { readonly type: "asking" | "merging" }
  | { readonly type: "done"; readonly commit: string; readonly output: string }
  | { readonly type: "refused"; readonly reason: string; readonly files: readonly string[]; readonly output: string };

export default function MergeDialog({ thread, onClose }: { thread: ThreadRow; onClose: () => void }) {
  const { connection } = useSignalbox();
  const [state, setState] = useState<State>({ type: "asking" });
  const { branch, base, project } = thread.git ?? {};
  const merge = async () => {
    setState({ type: "merging" });
    try {
      const { commit, output } = await connection.request("git.merge", { thread_id: thread.id });
      setState({ type: "done", commit, output });
    } catch (error) {
      setState({
        type: "refused",
        reason: messageOf(error),
        files: readRefusedFiles(error),
        output: readGitOutput(error),
      });
    }
  };
  return (
    <Sheet title={`Merge into ${base ?? "its branch"}`} onClose={onClose}>
      <div className="restore">
        {(state.type === "asking" || state.type === "merging") && (
          <p>
            Merges <b>{branch}</b> into <b>{base}</b> in <bdi>{project}</bdi>: whole, or not at all. Your hooks run,
            with your rights.
          </p>
        )}
        {state.type === "done" && (
          <p role="status">
            Merged. {base} is at {state.commit.slice(0, 10)} now.
          </p>
        )}
        {state.type === "refused" && (
          <>
            <p role="alert" className="error">
              {state.reason}
            </p>
            <ul className="restore-files">
              {state.files.map((path) => (
                <li key={path}>
                  <bdi>{path}</bdi>
                </li>
              ))}
            </ul>
          </>
        )}
        {"output" in state && <Output text={state.output} />}
        <div className="restore-buttons">
          {state.type !== "done" && (
            <button
              type="button"
              className="button primary"
              disabled={state.type === "merging"}
              onClick={() => void merge()}
            >
              {state.type === "merging" ? "Merging …" : state.type === "refused" ? "Try again" : "Merge"}
            </button>
          )}
          <button type="button" className="button" onClick={onClose}>
            {state.type === "done" ? "Close" : "Cancel"}
          </button>
        </div>
      </div>
    </Sheet>
  );
}
