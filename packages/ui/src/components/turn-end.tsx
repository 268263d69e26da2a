// The end of a turn: why it ended and how long it took. A failure says what happened and what to do.
import type { TurnRow } from "@signalbox/protocol";
import { duration } from "./time.ts";

const reasons: Readonly<Record<string, string>> = {
  end_turn: "done",
  cancelled: "stopped by you",
  max_tokens: "stopped: the model's answer reached its length limit",
  max_turn_requests: "stopped: the turn reached its limit of requests",
  refusal: "stopped: the model refused",
};

export function TurnEnd({ turn }: { turn: TurnRow }) {
  const time = turn.started_at !== null && turn.ended_at !== null ? duration(turn.ended_at - turn.started_at) : "";
  if (turn.status === "failed" || turn.status === "interrupted") {
    return (
      <article className="stop end" data-status="failed">
        <strong>{turn.status === "failed" ? "Failed" : "Interrupted"}</strong> {time}
        {turn.error !== null && <pre className="output">{turn.error.message}</pre>}
        <p>Send a prompt to go on.</p>
      </article>
    );
  }
  return (
    <div className="end">
      <span>{reasons[turn.stop_reason ?? ""] ?? turn.stop_reason}</span>
      <span>{time}</span>
    </div>
  );
}
