// Says in plain words what the agent and Signalbox wait for from each other.
import type { AgentActivityRow } from "@signalbox/protocol";

type OpenRequest = Pick<AgentActivityRow["requests"][number], "direction" | "method" | "subject">;

const toAgent: Readonly<Record<string, string>> = {
  initialize: "to start",
  "session/new": "to start",
  "session/load": "to resume",
  "session/resume": "to resume",
  "session/prompt": "to finish its turn",
  "session/set_mode": "to change its mode",
  "session/set_model": "to change its model",
};

const fromAgent: Readonly<Record<string, string>> = {
  "session/request_permission": "your answer",
  "elicitation/create": "your answer",
  "terminal/create": "a command to begin",
  "terminal/wait_for_exit": "a command to end",
  "fs/read_text_file": "a file to be read",
  "fs/write_text_file": "a file to be written",
};

/** "Waiting for the agent to finish its turn", "The agent waits for your answer: make it". */
export function describeRequest({ direction, method, subject }: OpenRequest): string {
  const about = subject === null ? "" : `: ${subject.replaceAll("`", "")}`;
  return direction === "to_agent"
    ? `Waiting for the agent ${toAgent[method] ?? `to answer ${method}`}${about}`
    : `The agent waits for ${fromAgent[method] ?? method}${about}`;
}
