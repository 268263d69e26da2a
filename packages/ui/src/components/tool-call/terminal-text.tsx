// Shows text as a terminal does: with colours, and with the newest lines in view while it grows. On the timeline a command that runs shows only
// its last lines until a person asks for all.
import { createContext, useContext, useLayoutEffect, useMemo, useRef } from "react";
import { AnsiText } from "./ansi-text.tsx";

const TailContext = createContext<(() => void) | null>(null);

/** Live output inside shows its last five lines; the value shows all of it. */
export const OutputTail = TailContext.Provider;

/** `startsAtEnd`: what comes last is in view also when nothing is added any more. */
export function TerminalText({
  text,
  isLive,
  label,
  startsAtEnd = false,
}: {
  text: string;
  isLive: boolean;
  label: string;
  startsAtEnd?: boolean;
}) {
  const element = useRef<HTMLPreElement>(null);
  const wasAtEnd = useRef(true);
  const showAll = useContext(TailContext);
  const isTail = isLive && showAll !== null;
  useLayoutEffect(() => {
    const pre = element.current;
    if (pre !== null && text !== "" && (isLive || startsAtEnd) && wasAtEnd.current) pre.scrollTop = pre.scrollHeight;
  }, [text, isLive, startsAtEnd]);
  const shown = useMemo(() => text.replace(/\n$/, ""), [text]);
  const output = (
    <pre
      ref={element}
      className="terminal"
      data-tail={isTail || undefined}
      dir="ltr"
      tabIndex={0}
      role="region"
      aria-label={`Output of ${label}`}
      onScroll={({ currentTarget: pre }) => {
        wasAtEnd.current = pre.scrollHeight - pre.scrollTop - pre.clientHeight < 20;
      }}
    >
      <AnsiText text={shown} />
    </pre>
  );
  if (!isTail) return output;
  return (
    <div className="terminal-tail">
      {output}
      <button type="button" onClick={showAll}>
        All output
      </button>
    </div>
  );
}
