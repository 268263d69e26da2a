// Shows code with its language and a copy button. The text is shown immediately; colours follow when the highlighter is loaded.
import { memo } from "react";
import { useTokens } from "../../hooks/use-tokens.ts";
import type { CodeToken } from "../../text/highlight.ts";
import { CopyButton } from "./copy-button.tsx";

export const CodeBlock = memo(function CodeBlock({ code, language }: { code: string; language?: string }) {
  const lines = useTokens(code, language ?? null);
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
