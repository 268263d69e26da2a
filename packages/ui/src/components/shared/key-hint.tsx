// The key on a button, as it works now. Its width never changes: a button that moved while the mouse is down would lose the click.
import { useKeyPrefix } from "../../hooks/use-keys.ts";

export function KeyHint({ letter }: { letter: string }) {
  return (
    <kbd className="key-hint">
      <span className="key-width" aria-hidden="true">
        Alt+{letter}
      </span>
      <span>
        {useKeyPrefix()}
        {letter}
      </span>
    </kbd>
  );
}
