// The key on a button of a card, as it works now: a plain letter while the card has the focus, otherwise with Alt. Its width never changes: a button
// that moved while the mouse is down would lose the click.
import { useCallback, useRef, useSyncExternalStore } from "react";

export function KeyHint({ letter }: { letter: string }) {
  const hint = useRef<HTMLElement>(null);
  const readPrefix = useCallback(() => {
    const card = hint.current?.closest("[data-card]") ?? null;
    return card !== null && card === document.activeElement ? "" : "Alt+";
  }, []);
  const prefix = useSyncExternalStore(onFocusChange, readPrefix);
  return (
    <kbd className="key-hint" ref={hint}>
      <span className="key-width" aria-hidden="true">
        Alt+{letter}
      </span>
      <span>
        {prefix}
        {letter}
      </span>
    </kbd>
  );
}

function onFocusChange(listener: () => void): () => void {
  addEventListener("focusin", listener);
  // Nothing has the focus yet when it is reported that an element lost it.
  const onFocusOut = () => requestAnimationFrame(listener);
  addEventListener("focusout", onFocusOut);
  return () => {
    removeEventListener("focusin", listener);
    removeEventListener("focusout", onFocusOut);
  };
}
