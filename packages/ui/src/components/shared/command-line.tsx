// A command to run in a terminal, with a button to copy it.
import { CopyButton } from "./copy-button.tsx";

export function CommandLine({ command }: { command: string }) {
  return (
    <p className="hint">
      <code>{command}</code> <CopyButton text={command} />
    </p>
  );
}
