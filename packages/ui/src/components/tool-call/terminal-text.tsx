// Shows text as a terminal does: with colours, and with the newest lines in view while it grows.
import { useLayoutEffect, useMemo, useRef } from "react";
import { AnsiText } from "./ansi-text.tsx";

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
  useLayoutEffect(() => {
    const pre = element.current;
    if (pre !== null && text !== "" && (isLive || startsAtEnd) && wasAtEnd.current) pre.scrollTop = pre.scrollHeight;
  }, [text, isLive, startsAtEnd]);
  const shown = useMemo(() => text.replace(/\n$/, ""), [text]);
  return (
    <pre
      ref={element}
      className="terminal"
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
}
