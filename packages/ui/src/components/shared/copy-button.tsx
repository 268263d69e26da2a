// A button that copies a text and confirms it.
import { useState } from "react";

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [caption, setCaption] = useState(label);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCaption("Copied");
    } catch {
      // The browser allows it only with permission and on a secure address.
      setCaption("Blocked by the browser");
    }
    setTimeout(() => setCaption(label), 1500);
  };
  return (
    <button type="button" className="copy" onClick={() => void copy()} aria-live="polite">
      {caption}
    </button>
  );
}
