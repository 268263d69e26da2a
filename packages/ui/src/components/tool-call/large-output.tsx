// Shows a large output as a terminal does: its end first, earlier parts and the beginning on a click, and all of it as a file.
import type { BlobRef } from "@signalbox/protocol";
import { bytes } from "@signalbox/protocol/sizes";
import { useEffect, useRef } from "react";
import { useBlob } from "../../hooks/use-blob.ts";
import { DownloadButton } from "../shared/download-button.tsx";
import { TerminalText } from "./terminal-text.tsx";

/** `end`: what is known of the end without loading; null where that is nothing. */
export function LargeOutput({ blob, end, label }: { blob: BlobRef; end: string | null; label: string }) {
  const { head, tail, missing, loaded, isComplete, error, loadMore, loadEarlier } = useBlob(blob);
  const isAsked = useRef(end !== null);
  useEffect(() => {
    if (isAsked.current) return;
    isAsked.current = true;
    loadEarlier();
  }, [loadEarlier]);
  if (isComplete) {
    return (
      <>
        <TerminalText text={head ?? ""} isLive={false} label={label} />
        <DownloadButton blob={blob} name="output.txt" />
      </>
    );
  }
  const shownEnd = tail ?? end;
  const isOnlyEnd = head === null;
  return (
    <>
      {isOnlyEnd && (
        <button type="button" className="more" onClick={loadMore}>
          Load from the beginning
        </button>
      )}
      {head !== null && (
        <>
          <TerminalText text={head} isLive={false} label={`${label}, the beginning`} />
          <button type="button" className="more" onClick={loadMore}>
            Load more ({bytes(loaded)} of {bytes(blob.size)} loaded)
          </button>
        </>
      )}
      <button type="button" className="more" onClick={loadEarlier}>
        Load earlier ({bytes(tail === null && head === null ? blob.size : missing)} above)
      </button>
      <DownloadButton blob={blob} name="output.txt" />
      {shownEnd === null ? (
        <p className="hint">Loading …</p>
      ) : (
        <TerminalText text={shownEnd} isLive={false} startsAtEnd label={label} />
      )}
      {error !== null && <p className="error">{error}</p>}
    </>
  );
}
