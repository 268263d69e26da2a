// Loads large texts in full, such as the two sides of a change. For texts of any size see use-blob.ts, which loads part by part.
import { type BlobRef, messageOf } from "@signalbox/protocol";
import { useEffect, useState } from "react";
import { useSignalbox } from "./signalbox.ts";

export type WholeTexts =
  | { readonly status: "loaded"; readonly texts: readonly string[] }
  | { readonly status: "loading" }
  | { readonly status: "too_large"; readonly size: number }
  | { readonly status: "failed"; readonly error: string };

const maxBytes = 8_000_000;

/** One text for each reference; an absent reference gives an empty text. */
export function useWholeTexts(refs: readonly (BlobRef | null)[]): WholeTexts {
  const { connection } = useSignalbox();
  const size = refs.reduce((sum, ref) => sum + (ref?.size ?? 0), 0);
  const hashes = refs.map((ref) => ref?.hash ?? "").join(" ");
  const [loaded, setLoaded] = useState<{ readonly hashes: string; readonly result: WholeTexts } | null>(null);
  useEffect(() => {
    if (size > maxBytes || hashes.trim() === "") return;
    let isCurrent = true;
    const load = async (hash: string) =>
      hash === "" ? "" : await (await connection.download(`/blobs/${hash}`)).text();
    const finish = (result: WholeTexts) => {
      if (isCurrent) setLoaded({ hashes, result });
    };
    Promise.all(hashes.split(" ").map(load)).then(
      (texts) => finish({ status: "loaded", texts }),
      (error: unknown) => finish({ status: "failed", error: messageOf(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [connection, hashes, size]);
  if (hashes.trim() === "") return { status: "loaded", texts: refs.map(() => "") };
  if (size > maxBytes) return { status: "too_large", size };
  return loaded?.hashes === hashes ? loaded.result : { status: "loading" };
}
