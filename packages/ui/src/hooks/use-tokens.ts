// Code as coloured tokens, when the highlighter and its grammar are there. Code that grows is coloured when it rests for a moment.
import { useEffect, useState } from "react";
import type { CodeToken } from "../text/highlight.ts";

export type CodeLines = readonly (readonly CodeToken[])[];

const longestCode = 30_000;
const rest = 60;

/** Null while there are no colours, and for code that is too long or in no known language. */
export function useTokens(code: string, language: string | null): CodeLines | null {
  const [done, setDone] = useState<{ code: string; lines: CodeLines } | null>(null);
  useEffect(() => {
    if (language === null || code === "" || code.length > longestCode) return;
    let isCurrent = true;
    const timer = setTimeout(() => {
      import("../text/highlight.ts")
        .then(({ highlight }) => highlight(code, language))
        .then(
          (lines) => {
            if (isCurrent && lines !== null) setDone({ code, lines });
          },
          // Without colours the code is still there.
          () => {},
        );
    }, rest);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [code, language]);
  return done?.code === code ? done.lines : null;
}
