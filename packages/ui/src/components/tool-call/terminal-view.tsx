// Shows a command's output as a terminal does: with colours and the newest lines in view. Earlier output loads on a click.
import type { TerminalRow } from "@signalbox/protocol";
import { memo, useLayoutEffect, useMemo, useRef } from "react";
import { useBlob } from "../../hooks/use-blob.ts";
import { bytes } from "../../text/sizes.ts";
import { AnsiText } from "./ansi-text.tsx";

export const TerminalView = memo(function TerminalView({ terminal }: { terminal: TerminalRow }) {
  const { output_ref: whole, output } = terminal;
  const blob = useBlob(whole);
  const isOnlyEnd = terminal.output_offset > 0;
  return (
    <>
      {isOnlyEnd && whole === null && <p className="hint">Only the end is shown while the command runs.</p>}
      {isOnlyEnd && whole !== null && !blob.isComplete && (
        <button type="button" className="more" onClick={blob.loadMore}>
          {blob.text === null
            ? `Only the end is shown. Load all ${bytes(whole.size)} from the beginning`
            : `Load more (${bytes(blob.loaded)} of ${bytes(whole.size)} loaded)`}
        </button>
      )}
      <TerminalText text={blob.text ?? output} isLive={terminal.ended_at === null} label={terminal.command} />
      {terminal.truncated && (
        <p className="hint">The agent asked for a limited output and could read only the end of this.</p>
      )}
      {blob.error !== null && <p className="error">{blob.error}</p>}
    </>
  );
});

export function TerminalText({ text, isLive, label }: { text: string; isLive: boolean; label: string }) {
  const element = useRef<HTMLPreElement>(null);
  const wasAtEnd = useRef(true);
  useLayoutEffect(() => {
    const pre = element.current;
    if (pre !== null && text !== "" && isLive && wasAtEnd.current) pre.scrollTop = pre.scrollHeight;
  }, [text, isLive]);
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
