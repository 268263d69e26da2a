// A question of the agent on the line: what it wanted to know, and what it was told.
import { type ElicitationRow, type ElicitationStatus, isJsonObject } from "@signalbox/protocol";
import { memo } from "react";

const words: Record<ElicitationStatus, string> = {
  pending: "waits for you",
  accepted: "answered",
  declined: "declined",
  cancelled: "cancelled",
};

export const ElicitationStop = memo(function ElicitationStop({ question }: { question: ElicitationRow }) {
  const { message, url, content, status, reason } = question;
  const told = isJsonObject(content) ? Object.entries(content) : [];
  return (
    <article className="stop asked" data-status={status} aria-label={`Question: ${words[status]}`}>
      <p dir="auto">
        {message} <span className="chip">{words[status]}</span>
      </p>
      {url !== null && <code>{url}</code>}
      {told.length > 0 && (
        <dl>
          {told.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd>
            </div>
          ))}
        </dl>
      )}
      {reason !== null && <p className="hint">{reason}</p>}
    </article>
  );
});
