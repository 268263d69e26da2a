// Text of any length as it is: the beginning, and more of it when asked for. A megabyte in one line stays readable and quick.
import { useState } from "react";
import { count } from "../../text/sizes.ts";

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
          Show more: {count(rest)} characters are left
        </button>
      )}
    </>
  );
}
