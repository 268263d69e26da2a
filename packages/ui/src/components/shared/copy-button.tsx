// Copies a text and says that it did.
import { useState } from "react";

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [word, setWord] = useState(label);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setWord("Copied");
    } catch {
      // No permission, or not a secure address: say so instead of pretending.
      setWord("Not allowed");
    }
    setTimeout(() => setWord(label), 1500);
  };
  return (
    <button type="button" className="copy" onClick={() => void copy()} aria-live="polite">
      {word}
    </button>
  );
}
