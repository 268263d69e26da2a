// Keys for the whole page. A plain letter works only when no field has the focus; with Alt, Ctrl or ⌘ it works everywhere.
import { useEffect, useLayoutEffect, useRef, useSyncExternalStore } from "react";
import { usePane } from "./pane.ts";

/** "a", "Escape", "mod+k" (Ctrl or ⌘), "alt+a", "shift+j". */
type KeyMap = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** Of two threads side by side, only the active one gets keys. Plain letters do nothing while `isTyped` says that they are text. */
export function useKeys(keys: KeyMap, isWanted = true, isTyped: () => boolean = never): void {
  const { isActive } = usePane();
  const isEnabled = isWanted && isActive;
  const current = useRef(keys);
  // Before anything is drawn: a key that the page shows must do what it says.
  useLayoutEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    if (!isEnabled) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.repeat) return;
      const action = current.current[nameKey(event)];
      if (action === undefined) return;
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (isPlain && event.key !== "Escape" && isTyping(event.target)) return;
      if (isPlain && event.key.length === 1 && isTyped()) return;
      // An open dialog gets all keys.
      if (document.querySelector("dialog[open]") !== null) return;
      event.preventDefault();
      action(event);
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [isEnabled, isTyped]);
}

const never = () => false;

/** Returns the prefix of the key shown on a button: "Alt+" while a text field has the focus, because plain letters are typed then. */
export function useKeyPrefix(): "" | "Alt+" {
  return useSyncExternalStore(onFocusChange, () => (isTyping(document.activeElement) ? "Alt+" : ""));
}

function onFocusChange(listener: () => void): () => void {
  addEventListener("focusin", listener);
  addEventListener("focusout", listener);
  return () => {
    removeEventListener("focusin", listener);
    removeEventListener("focusout", listener);
  };
}

function nameKey(event: KeyboardEvent): string {
  const isModified = event.ctrlKey || event.metaKey || event.altKey;
  // With Alt some systems give a special character: use the letter on the key.
  const letter = event.altKey && /^Key[A-Z]$/.test(event.code) ? event.code.slice(3).toLowerCase() : event.key;
  // Caps Lock makes no difference.
  const isLower = letter.length === 1 && (isModified || !event.shiftKey);
  const key = isLower ? letter.toLowerCase() : letter;
  return `${event.ctrlKey || event.metaKey ? "mod+" : ""}${event.altKey ? "alt+" : ""}${event.shiftKey && (isModified || key.length > 1) ? "shift+" : ""}${key}`;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button"].includes(target.type);
  return target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
