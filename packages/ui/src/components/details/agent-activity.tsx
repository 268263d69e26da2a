// An agent seen from outside: its start, its open requests with their age, its tools and its output. It helps to find out why a thread hangs.

import { type AgentActivityRow, duration } from "@signalbox/protocol";
import { useQuery } from "@signalbox/react";
import { useEffect } from "react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { useNow } from "../../hooks/use-now.ts";
import { Fold } from "../shared/fold.tsx";
import { describeRequest } from "./request-words.ts";

const refreshMs = 1000;

/** The activity of a thread's agent, new every second; null when no agent runs. */
export function useAgentActivity(threadId: string | null): AgentActivityRow | null {
  const { rows, refresh } = useQuery("agents.activity", threadId === null ? null : { thread_id: threadId });
  useEffect(() => {
    if (threadId === null) return;
    const timer = setInterval(refresh, refreshMs);
    return () => clearInterval(timer);
  }, [threadId, refresh]);
  return rows?.[0] ?? null;
}

export function AgentSection({ activity, now }: { activity: AgentActivityRow; now: number }) {
  const { agent_name, agent_version, label, last_output_at, requests, tools, output, log_file } = activity;
  return (
    <section>
      <h2>Agent</h2>
      <p className="pair">
        <span>{agent_name ?? label}</span>
        <b>{agent_version}</b>
      </p>
      <p className="pair">
        <span>Last output</span>
        <b>{last_output_at === null ? "none yet" : ago(now - last_output_at)}</b>
      </p>
      <StartStep activity={activity} />
      {requests.map((request, index) => (
        <p className="pair open-request" key={index}>
          <span>{describeRequest(request)}</span>
          <b>{seconds(now - request.since)}</b>
        </p>
      ))}
      {tools !== null && (
        <Fold summary={`${tools.length} tools`}>
          <p className="hint">{tools.join(", ")}</p>
        </Fold>
      )}
      {output !== "" && (
        <Fold summary="What it printed">
          <pre className="agent-output" tabIndex={0} title={log_file ?? ""}>
            {output}
          </pre>
        </Fold>
      )}
    </section>
  );
}

/** The step of an agent that starts, with the time that it has left, which can be made longer. */
export function StartStep({ activity }: { activity: AgentActivityRow }) {
  const { connection } = useSignalbox();
  const { attempt } = useAttempt();
  const now = useNow(activity.step !== null);
  const { step, thread_id, last_output_at } = activity;
  if (step === null) return null;
  const left = Math.max(0, Math.ceil((step.ends_at - now) / 1000));
  return (
    <p className="start-step" role="status">
      {step.text} {seconds(now - step.since)}
      {last_output_at === null ? ", no output yet" : ""}. Stopped in {left} s if nothing comes.{" "}
      <button
        type="button"
        className="quiet"
        onClick={() => void attempt(() => connection.request("session.wait", { thread_id }))}
      >
        Wait longer
      </button>
    </p>
  );
}

function ago(milliseconds: number): string {
  const text = seconds(milliseconds);
  return text === "now" ? text : `${text} ago`;
}

function seconds(milliseconds: number): string {
  const rounded = Math.max(0, Math.round(milliseconds / 1000) * 1000);
  return rounded === 0 ? "now" : duration(rounded);
}
