// A button that copies a text and confirms it.
import { useState } from "react";
import { Icon } from "./icon.tsx";

interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
  /** A picture stands for the label. */
  readonly isIcon?: boolean;
}

export function CopyButton({ text, label = "Copy", isIcon = false }: CopyButtonProps) {
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
    <button
      type="button"
      className="copy"
      onClick={() => void copy()}
      aria-live="polite"
      {...(isIcon ? { "aria-label": caption, title: caption } : {})}
    >
      {!isIcon ? caption : <Icon name={caption === "Copied" ? "done" : "copy"} />}
    </button>
  );
}
