// One MCP server of a running agent: what became of it, and buttons that send the agent's own prompts to start it again and to log in.
import type { McpServerRow } from "@signalbox/protocol";
import { submitPrompt } from "@signalbox/react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { ErrorText } from "../shared/error-text.tsx";

interface McpServerProps {
  readonly server: McpServerRow;
  readonly threadId: string;
  readonly now: number;
}

export function McpServer({ server, threadId, now }: McpServerProps) {
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  const { name, problem, restart, log_in } = server;
  const { text, signal } = describeState(server, now);
  const button = (label: string, subject: string, prompt: string | null) =>
    prompt !== null && (
      <button
        type="button"
        className="quiet"
        aria-label={`${label} ${subject}`}
        title={`Sends ${prompt}. During a turn it waits for the end of the turn.`}
        disabled={isBusy}
        onClick={() => void attempt(() => submitPrompt(connection, threadId, [{ type: "text", text: prompt }]))}
      >
        {label}
      </button>
    );
  return (
    <div className="mcp-server" role="group" aria-label={`MCP server ${name}`}>
      <p className="pair">
        <span title={name}>{name}</span>
        <b data-signal={signal}>{text}</b>
      </p>
      {problem !== null && log_in === null && <p className="hint">{problem}</p>}
      {(log_in !== null || restart !== null) && (
        <p className="mcp-server-acts">
          {button("Log in", `to ${name}`, log_in)}
          {button("Restart", name, restart)}
        </p>
      )}
      <ErrorText error={error} isInline />
    </div>
  );
}

function describeState(
  { status, problem, log_in, starting_since, tools }: McpServerRow,
  now: number,
): { readonly text: string; readonly signal?: "go" | "stop" } {
  if (log_in !== null) return { text: "needs log-in", signal: "stop" };
  if (problem !== null || status === "failed") return { text: "failed", signal: "stop" };
  if (status === "starting") {
    const elapsed = starting_since === null ? "" : `, ${Math.max(0, Math.round((now - starting_since) / 1000))} s`;
    return { text: `connecting${elapsed}` };
  }
  const count = tools === null ? "" : `, ${tools === 1 ? "1 tool" : `${tools} tools`}`;
  if (status === "running") return { text: `ready${count}`, signal: "go" };
  return { text: `${status ?? "state not known"}${count}` };
}
