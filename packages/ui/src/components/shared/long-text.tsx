// Shows plain text of any length: first the beginning, more on a click, so that even a megabyte in one line stays fast.

import { count } from "@signalbox/protocol/sizes";
import { useState } from "react";

const step = 20_000;

export function LongText({ text, className = "output" }: { text: string; className?: string }) {
  const [shown, setShown] = useState(step);
  const rest = text.length - shown;
  return (
    <>
      <pre className={className} dir="auto" tabIndex={0}>
        {rest > 0 ? text.slice(0, shown) : text}
      </pre>
      {rest > 0 && (
        <button type="button" className="more" onClick={() => setShown(shown + step * 5)}>
          Show more ({count(rest)} characters left)
        </button>
      )}
    </>
  );
}
