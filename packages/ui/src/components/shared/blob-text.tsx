// Shows a large text: first its beginning, then more with each click, or all of it as a file.
import type { BlobRef } from "@signalbox/protocol";
import { bytes } from "@signalbox/protocol/sizes";
import { useBlob } from "../../hooks/use-blob.ts";
import { DownloadButton } from "./download-button.tsx";
import { LongText } from "./long-text.tsx";

export function BlobText({ preview, blob }: { preview: string; blob: BlobRef }) {
  const { head, tail, loaded, missing, isComplete, error, loadMore, loadEarlier } = useBlob(blob);
  return (
    <>
      <LongText text={head ?? preview} />
      {!isComplete && (
        <>
          <button type="button" className="more" onClick={loadMore}>
            {head === null
              ? `Load more (${bytes(blob.size)} in all)`
              : `Load more (${bytes(loaded)} of ${bytes(blob.size)} loaded)`}
          </button>
          <button type="button" className="more" onClick={loadEarlier}>
            {tail === null ? "Load the end" : `Load earlier (${bytes(missing)} above)`}
          </button>
        </>
      )}
      {tail !== null && <LongText text={tail} />}
      <DownloadButton blob={blob} name="text.txt" />
      {error !== null && <p className="error">{error}</p>}
    </>
  );
}
