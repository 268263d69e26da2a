// Shows a large text: first its beginning, then more with each click.
import type { BlobRef } from "@signalbox/protocol";
import { useBlob } from "../../hooks/use-blob.ts";
import { bytes } from "../../text/sizes.ts";
import { LongText } from "./long-text.tsx";

export function BlobText({ preview, blob }: { preview: string; blob: BlobRef }) {
  const { text, loaded, isComplete, error, loadMore } = useBlob(blob);
  return (
    <>
      <LongText text={text ?? preview} />
      {!isComplete && (
        <button type="button" className="more" onClick={loadMore}>
          {text === null
            ? `Load more (${bytes(blob.size)} in all)`
            : `Load more (${bytes(loaded)} of ${bytes(blob.size)} loaded)`}
        </button>
      )}
      {error !== null && <p className="error">{error}</p>}
    </>
  );
}
