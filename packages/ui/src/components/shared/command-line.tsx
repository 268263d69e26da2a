// A command to type into a terminal, ready to be copied.
import { CopyButton } from "./copy-button.tsx";

export function CommandLine({ words }: { words: string }) {
  return (
    <p className="hint">
      <code>{words}</code> <CopyButton text={words} />
    </p>
  );
}
