// Splits code into coloured tokens when the highlighter and the grammar are loaded. Growing code is coloured when it pauses.
import { useEffect, useState } from "react";
import type { CodeToken } from "../text/highlight.ts";

type CodeLines = readonly (readonly CodeToken[])[];

const maxCodeLength = 30_000;
const pauseMs = 60;

/** Null while it is not coloured, and for code that is too long or in an unknown language. */
export function useTokens(code: string, language: string | null): CodeLines | null {
  const [done, setDone] = useState<{ code: string; lines: CodeLines } | null>(null);
  useEffect(() => {
    if (language === null || code === "" || code.length > maxCodeLength) return;
    let isCurrent = true;
    const timer = setTimeout(() => {
      import("../text/highlight.ts")
        .then(({ highlight }) => highlight(code, language))
        .then(
          (lines) => {
            if (isCurrent && lines !== null) setDone({ code, lines });
          },
          // Without colours the code is still shown.
          () => {},
        );
    }, pauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [code, language]);
  return done?.code === code ? done.lines : null;
}
