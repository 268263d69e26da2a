// A tool call on the line: a signal lamp, what happens to what, and how long it took; its output when opened.
import type { ToolCallContent, ToolCallRow } from "@signalbox/protocol";
import { memo } from "react";
import { duration } from "./time.ts";

export const ToolCallItem = memo(function ToolCallItem({ toolCall }: { toolCall: ToolCallRow }) {
  const { title, kind, status, started_at, ended_at, content } = toolCall;
  return (
    <article className="stop tool" data-status={status} aria-label={`Tool call: ${title}, ${status}`}>
      <details className="card" open={status === "failed"}>
        <summary>
          <span className="kind">{kind}</span>
          <code>{title}</code>
          <span className="right">
            {status === "completed" ? "" : `${status.replace("_", " ")} `}
            {started_at !== null && ended_at !== null && duration(ended_at - started_at)}
          </span>
        </summary>
        <pre className="output">{content.map(textOf).join("\n")}</pre>
      </details>
    </article>
  );
});

function textOf(content: ToolCallContent): string {
  const block = "content" in content ? content.content : undefined;
  if (typeof block === "object" && block !== null && "text" in block && typeof block.text === "string")
    return block.text;
  return JSON.stringify(content, null, 2);
}
