// Keeps the first prompt of a thread in this tab while its agent starts: a reload before it was sent brings it back as a draft.
import { read, write } from "./stored-value.ts";

const key = "signalbox.starting-prompt";
const draft = "draft.new";

restorePrompt();

/** Returns a function that forgets the text, for when it was sent or is a draft again. */
export function keepWhileStarting(text: string): () => void {
  // Where storage is full or blocked, only a reload loses it.
  try {
    sessionStorage.setItem(key, text);
  } catch {
    return () => {};
  }
  return () => {
    if (sessionStorage.getItem(key) === text) sessionStorage.removeItem(key);
  };
}

function restorePrompt(): void {
  try {
    const text = sessionStorage.getItem(key);
    if (text === null) return;
    sessionStorage.removeItem(key);
    if ((read<string>(draft) ?? "") === "") write(draft, text);
  } catch {
    // Storage is blocked.
  }
}
