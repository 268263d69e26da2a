// Code with colours, its language and a button to copy it. Colours come when the highlighter is loaded; the text is there at once.
import { memo, useEffect, useState } from "react";
import type { CodeToken } from "../../text/highlight.ts";
import { CopyButton } from "./copy-button.tsx";

const longestCode = 30_000;

export const CodeBlock = memo(function CodeBlock({ code, language }: { code: string; language?: string }) {
  const lines = useTokens(code, language);
  return (
    <div className="code-block">
      <div className="code-head">
        <span>{language ?? ""}</span>
        <CopyButton text={code} />
      </div>
      <pre tabIndex={0} dir="ltr">
        <code>{lines === null ? code : lines.map((line, index) => <Line key={index} tokens={line} />)}</code>
      </pre>
    </div>
  );
});

function Line({ tokens }: { tokens: readonly CodeToken[] }) {
  return (
    <>
      {tokens.map((token, index) => (
        <span key={index} style={token.color === undefined ? undefined : { color: token.color }}>
          {token.content}
        </span>
      ))}
      {"\n"}
    </>
  );
}

/** Tokens of the code as it was last highlighted; null while there are none. Streaming code keeps its plain tail until it rests. */
function useTokens(code: string, language: string | undefined) {
  const [done, setDone] = useState<{ code: string; lines: readonly (readonly CodeToken[])[] } | null>(null);
  useEffect(() => {
    if (language === undefined || code.length > longestCode) return;
    let isCurrent = true;
    // Code that grows is highlighted when it rests for a moment, not at every letter.
    const timer = setTimeout(() => {
      import("../../text/highlight.ts")
        .then(({ highlight }) => highlight(code, language))
        .then(
          (lines) => {
            if (isCurrent && lines !== null) setDone({ code, lines });
          },
          // Without colours the code is still there.
          () => {},
        );
    }, 60);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [code, language]);
  return done?.code === code ? done.lines : null;
}
