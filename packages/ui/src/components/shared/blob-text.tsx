// Text of which only a part came with the row: the part, and a way to the whole.
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
            ? `Load all ${bytes(blob.size)}`
            : `Load the next part: ${bytes(loaded)} of ${bytes(blob.size)} are here`}
        </button>
      )}
      {error !== null && <p className="error">{error}</p>}
    </>
  );
}
