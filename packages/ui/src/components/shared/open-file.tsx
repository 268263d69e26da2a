// Actions on a file of a thread: copy its path, or open it in the editor that this browser uses.
import { useStore } from "@signalbox/react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { editor } from "../../stores/preferences.ts";
import { editorAddress, editors } from "../../text/editor-links.ts";
import { CopyButton } from "./copy-button.tsx";
import { ErrorText } from "./error-text.tsx";

interface OpenFileProps {
  readonly thread: { readonly id: string; readonly cwd: string };
  /** From the thread's folder. */
  readonly path: string;
  readonly line?: number | undefined;
}

export function OpenFile({ thread, path, line }: OpenFileProps) {
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  const chosen = useStore(editor);
  const absolute = `${thread.cwd.replace(/\/$/, "")}/${path}`;
  const address = editorAddress(chosen, absolute, line);
  const open = () =>
    attempt(() =>
      connection.request("editor.open", {
        thread_id: thread.id,
        path,
        ...(line !== undefined && { line }),
      }),
    );
  return (
    <>
      <CopyButton text={absolute} label="Copy path" />
      {address !== null && (
        <a className="copy" href={address}>
          Open in {editors[chosen]}
        </a>
      )}
      {chosen === "command" && (
        <button type="button" className="copy" disabled={isBusy} onClick={() => void open()}>
          Open in {editors.command}
        </button>
      )}
      <ErrorText error={error} isInline />
    </>
  );
}
