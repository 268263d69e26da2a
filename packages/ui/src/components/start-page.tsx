// The beginning: which agent, in which folder, and the first prompt, in one go.
import type { AgentRow } from "@signalbox/protocol";
import { type FormEvent, useEffect, useState } from "react";
import { useSignalbox } from "../hooks/signalbox.tsx";
import { useConnectionStatus } from "../hooks/use-connection-status.ts";
import { go } from "../hooks/use-route.ts";
import { useThreads } from "../hooks/use-threads.ts";
import { submitPrompt } from "./submit-prompt.ts";

export function StartPage() {
  const { connection } = useSignalbox();
  const agents = useAgents();
  const lastFolder = useThreads()?.[0]?.cwd;
  const [agentId, setAgentId] = useState("");
  const [folder, setFolder] = useState<string | null>(null);
  const [prompt, setPrompt] = useState("");
  const [state, setState] = useState<{ busy: boolean; error: string | null }>({ busy: false, error: null });
  const chosenAgent = agentId === "" ? (agents?.[0]?.id ?? "") : agentId;
  const chosenFolder = folder ?? lastFolder ?? "";

  const start = async () => {
    setState({ busy: true, error: null });
    try {
      const title = prompt.trim().split("\n")[0]?.slice(0, 80) ?? "";
      const created = await connection.request({
        control: "session.create",
        agent_id: chosenAgent,
        cwd: chosenFolder,
        ...(title === "" ? {} : { title }),
      });
      if (created.type !== "tinyvex.ok" || created.thread_id === undefined) throw new Error("The host gave no thread.");
      if (prompt.trim() !== "") await submitPrompt(connection, created.thread_id, prompt);
      go({ page: "thread", threadId: created.thread_id });
    } catch (error) {
      setState({ busy: false, error: error instanceof Error ? error.message : String(error) });
    }
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void start();
  };

  return (
    <div className="start">
      <h1>What should be done?</h1>
      <p className="lead">Pick an agent and a folder and say it. Everything the agent does is shown here and kept.</p>
      <form onSubmit={onSubmit} className="box">
        <textarea
          aria-label="First prompt"
          placeholder="Say what should be done"
          rows={3}
          value={prompt}
          onChange={(event) => setPrompt(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) onSubmit(event);
          }}
        />
        <div className="row">
          <label>
            Agent
            <select value={chosenAgent} onChange={(event) => setAgentId(event.target.value)}>
              {agents?.map((agent) => (
                <option key={agent.id} value={agent.id}>
                  {agent.label}
                </option>
              ))}
            </select>
          </label>
          <label className="grow">
            Folder
            <input
              value={chosenFolder}
              placeholder="/home/you/project"
              spellCheck={false}
              onChange={(event) => setFolder(event.target.value)}
            />
          </label>
          <button type="submit" className="send" disabled={state.busy || chosenAgent === "" || chosenFolder === ""}>
            {state.busy ? "Starting …" : "Start"}
          </button>
        </div>
      </form>
      {state.error !== null && (
        <p role="alert" className="error">
          {state.error}
        </p>
      )}
    </div>
  );
}

function useAgents(): readonly AgentRow[] | null {
  const { connection } = useSignalbox();
  const status = useConnectionStatus();
  const [agents, setAgents] = useState<readonly AgentRow[] | null>(null);
  useEffect(() => {
    if (status !== "open") return;
    connection.request({ control: "tvx.query", name: "agents.list" }).then(
      (answer) => {
        if (answer.type === "tinyvex.query_result") setAgents(answer.rows as unknown as AgentRow[]);
      },
      // The line broke; the status changes when it is back, and with it this effect runs again.
      () => {},
    );
  }, [connection, status]);
  return agents;
}
