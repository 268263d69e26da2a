// Shows the end of a turn: why it ended, how long it took, tokens and cost. An error says what happened and what to do.

import { duration, isJsonObject, stopReasonText, type TurnRow } from "@signalbox/protocol";
import { count, money } from "@signalbox/protocol/sizes";
import { useAgentLabel } from "@signalbox/react";
import { memo } from "react";
import { formatRoute } from "../../hooks/use-route.ts";
import { LongText } from "../shared/long-text.tsx";

/** ACP's error code for "log in first". */
const authRequired = -32000;

function describeStopReason({ stop_reason: reason }: TurnRow): string {
  if (reason === null) return "";
  if (reason === "end_turn") return "done";
  return reason === "cancelled" ? "stopped" : `stopped: ${stopReasonText(reason)}`;
}

interface TurnEndProps {
  readonly turn: TurnRow;
  /** Named where the thread had several agents. */
  readonly agentId: string | null;
}

export const TurnEnd = memo(function TurnEnd({ turn, agentId }: TurnEndProps) {
  const labelOf = useAgentLabel();
  const time = turn.started_at !== null && turn.ended_at !== null ? duration(turn.ended_at - turn.started_at) : "";
  if (turn.status === "failed" || turn.status === "interrupted") {
    return (
      <article className="entry end" data-status="failed" aria-label="Error">
        <strong>{turn.status === "failed" ? "Failed" : "Interrupted"}</strong> {time}
        {agentId !== null && ` ${labelOf(agentId)}`}
        {turn.model !== null && ` ${turn.model}`}
        {turn.error !== null && <LongText text={turn.error.message} />}
        <p>
          {giveAdvice(turn)} <ChangedCount turn={turn} />
        </p>
        <NotKeptNotice turn={turn} />
      </article>
    );
  }
  return (
    <>
      <div className="end">
        {agentId !== null && <span>{labelOf(agentId)}</span>}
        {turn.model !== null && <span title="The model that answered">{turn.model}</span>}
        <span>{describeStopReason(turn)}</span>
        <span>{time}</span>
        <ChangedCount turn={turn} />
        {describeUsage(turn).map((part) => (
          <span key={part}>{part}</span>
        ))}
      </div>
      <NotKeptNotice turn={turn} />
    </>
  );
});

/** That the files could not be kept: then this turn cannot be undone, or not be seen. */
function NotKeptNotice({ turn }: { turn: TurnRow }) {
  const notice = turn.checkpoint?.notice ?? null;
  return notice === null ? null : (
    <p className="file-note" data-caution role="note">
      {notice}
    </p>
  );
}

/** How many files the turn changed, with a link to the changes. */
function ChangedCount({ turn }: { turn: TurnRow }) {
  const files = turn.checkpoint?.files_changed ?? 0;
  if (files === 0) return null;
  return (
    <a href={formatRoute({ page: "changes", threadId: turn.thread_id, turnId: turn.turn_id })}>
      {files} {files === 1 ? "file" : "files"} changed
    </a>
  );
}

function giveAdvice({ status, error }: TurnRow): string {
  if (status === "interrupted") return "Send a message to continue.";
  if (isJsonObject(error?.details) && error.details.code === authRequired) {
    return "Log in to this agent first (see Settings), then send the message again.";
  }
  if (error?.code === "agent_failed")
    return "Send a message to restart the agent. If it fails again, test it in Settings.";
  return "Send a message to continue.";
}

function describeUsage({ usage, cost }: TurnRow): readonly string[] {
  const total = usage?.totalTokens ?? usage?.total_tokens;
  const parts = typeof total === "number" ? [`${count(total)} tokens`] : [];
  if (cost === null || cost === undefined) return parts.length === 0 ? [] : [...parts, "cost not known"];
  return [...parts, money(cost.amount, cost.currency)];
}
