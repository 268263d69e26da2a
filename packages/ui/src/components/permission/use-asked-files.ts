// Gives the changes that a question is about, as the host compared the whole texts. The row has the beginning of many; then the rest is loaded.
import type { ChangedFile, PermissionRow } from "@signalbox/protocol";
import { useMemo } from "react";
import { useWholeTexts } from "../../hooks/use-whole-texts.ts";

export interface AskedFiles {
  readonly files: readonly ChangedFile[];
  /** Why only the beginning is here; null when all is. */
  readonly missing: string | null;
}

export function useAskedFiles({ hunks, hunks_ref: all }: Pick<PermissionRow, "hunks" | "hunks_ref">): AskedFiles {
  const whole = useWholeTexts([all]);
  const text = whole.status === "loaded" ? (whole.texts[0] ?? "") : "";
  const loaded = useMemo(() => (text === "" ? null : (JSON.parse(text) as readonly ChangedFile[])), [text]);
  if (loaded !== null || all === null) return { files: loaded ?? hunks, missing: null };
  switch (whole.status) {
    case "loading":
      return { files: hunks, missing: "This is the beginning. Loading the rest …" };
    case "failed":
      return {
        files: hunks,
        missing: `This is only the beginning; the rest could not be loaded: ${whole.error}.`,
      };
    default:
      return { files: hunks, missing: "This is only the beginning, too much to show here." };
  }
}
