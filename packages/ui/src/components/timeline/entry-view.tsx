// Shows one entry of the timeline: a message, a tool call, a run of them, a sub-agent, an agent's question or the end of a turn.

import { type ElicitationRow, type ElicitationStatus, isJsonObject } from "@signalbox/protocol";
import { useAgentLabel } from "@signalbox/react";
import { memo } from "react";
import type { RunEntry, TimelineEntry } from "../../hooks/use-timeline.ts";
import { ToolCallItem } from "../tool-call/tool-call-item.tsx";
import { MessageItem } from "./message-item.tsx";
import { RunLine } from "./run-line.tsx";
import { type OnFold, SubAgentFold } from "./sub-agent-fold.tsx";
import { TurnEnd } from "./turn-end.tsx";

interface EntryViewProps {
  readonly entry: TimelineEntry;
  readonly onFold: OnFold;
  readonly onToggleRun: (run: RunEntry) => void;
}

export function EntryView({ entry, onFold, onToggleRun }: EntryViewProps) {
  switch (entry.type) {
    case "turn_end":
      return <TurnEnd turn={entry.turn} agentId={entry.agentId} />;
    case "agent":
      return <AgentLine agentId={entry.agentId} />;
    case "question":
      return <AnsweredQuestion question={entry.question} />;
    case "sub_agent":
      return (
        <article className="entry sub-agent" aria-label="Sub-agent">
          <p>Sub-agent (its first call is not loaded)</p>
          <SubAgentFold work={entry.work} onFold={onFold} />
        </article>
      );
    case "run":
      return <RunLine run={entry} onToggle={onToggleRun} />;
    case "item":
      if (entry.item.type === "message") return <MessageItem message={entry.item} />;
      return (
        <>
          <ToolCallItem toolCall={entry.item} commands={entry.commands} isRow={entry.isRow} />
          {entry.work !== null && <SubAgentFold work={entry.work} onFold={onFold} />}
        </>
      );
  }
}

/** Says whose turns follow. */
function AgentLine({ agentId }: { agentId: string }) {
  const label = useAgentLabel()(agentId);
  return (
    <p className="agent-line">
      <span>{label}</span>
    </p>
  );
}

const statusLabels: Record<ElicitationStatus, string> = {
  pending: "waiting for you",
  accepted: "answered",
  declined: "declined",
  cancelled: "cancelled",
};

/** A question of the agent, and the answer. */
const AnsweredQuestion = memo(function AnsweredQuestion({ question }: { question: ElicitationRow }) {
  const { message, url, content, status, reason } = question;
  const answers = isJsonObject(content) ? Object.entries(content) : [];
  return (
    <article className="entry asked" data-status={status} aria-label={`Question: ${statusLabels[status]}`}>
      <p dir="auto">
        {message} <span className="chip">{statusLabels[status]}</span>
      </p>
      {url !== null && <code>{url}</code>}
      {answers.length > 0 && (
        <dl>
          {answers.map(([name, value]) => (
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
