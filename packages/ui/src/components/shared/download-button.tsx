import type { BlobRef } from "@signalbox/protocol";
import { bytes } from "@signalbox/protocol/sizes";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { saveFile } from "./save-file.ts";

/** Saves a large text as a file. */
export function DownloadButton({ blob, name }: { blob: BlobRef; name: string }) {
  const { connection } = useSignalbox();
  const { attempt, error } = useAttempt();
  return (
    <>
      <button
        type="button"
        className="more"
        onClick={() => void attempt(() => saveFile(connection, `/blobs/${blob.hash}`, name))}
      >
        Download ({bytes(blob.size)})
      </button>
      {error !== null && <p className="error">{error}</p>}
    </>
  );
}
