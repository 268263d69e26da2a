// The beginning: what was found on this machine, and one field to start: agent, folder, mode and first prompt in one go.
import type { AgentRow } from "@signalbox/protocol";
import { type FormEvent, useState } from "react";
import { submitPrompt } from "../../connection/submit-prompt.ts";
import { useSignalbox } from "../../hooks/signalbox.tsx";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { useQuery } from "../../hooks/use-query.ts";
import { go } from "../../hooks/use-route.ts";
import { useThreads } from "../../hooks/use-threads.ts";
import { useDraft } from "../composer/use-draft.ts";
import { FolderField } from "./folder-field.tsx";
import { Greeting, tour } from "./greeting.tsx";
import { ModeField } from "./mode-field.tsx";

export function StartPage() {
  const { connection } = useSignalbox();
  const agents = useQuery("agents.list", {}).rows;
  const setup = useQuery("setup.get", {}).rows?.[0] ?? null;
  const threads = useThreads();
  const [agentId, setAgentId] = useState("");
  const [folder, setFolder] = useState<string | null>(null);
  const [modeId, setModeId] = useState("");
  const [prompt, setPrompt] = useDraft("new");
  const { attempt, error, isBusy } = useAttempt();
  const lastThread = threads?.[0];
  const chosenAgent = agentId === "" ? sensibleAgent(agents, lastThread?.agent_id) : agentId;
  const chosenFolder = folder ?? lastThread?.cwd ?? setup?.start_folder ?? "";
  const isNew = threads?.length === 0;

  const start = (text: string) =>
    attempt(async () => {
      const title = text === tour ? "A tour with the demo" : (text.trim().split("\n")[0]?.slice(0, 80) ?? "");
      const created = await connection.request({
        control: "session.create",
        agent_id: chosenAgent,
        cwd: chosenFolder,
        ...(title === "" ? {} : { title }),
        ...(modeId === "" ? {} : { mode_id: modeId }),
      });
      if (created.type !== "tinyvex.ok" || created.thread_id === undefined) throw new Error("The host gave no thread.");
      if (text.trim() !== "") await submitPrompt(connection, created.thread_id, [{ type: "text", text }]);
      setPrompt("");
      go({ page: "thread", threadId: created.thread_id });
    });
  const takeTour = (script: string) => {
    setAgentId("demo");
    setPrompt(script);
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void start(prompt);
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
          dir="auto"
          onChange={(event) => setPrompt(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) onSubmit(event);
          }}
        />
        <div className="row">
          <label>
            Agent
            <select aria-label="Agent" value={chosenAgent} onChange={(event) => setAgentId(event.target.value)}>
              {agents?.map((agent) => (
                <option key={agent.id} value={agent.id}>
                  {agent.label}
                  {agent.readiness === "ready" ? "" : ` (${String(agent.readiness).replace("_", " ")})`}
                </option>
              ))}
            </select>
          </label>
          <FolderField value={chosenFolder} onChange={setFolder} />
          <ModeField agentId={chosenAgent} value={modeId} onChange={setModeId} />
          <button type="submit" className="send" disabled={isBusy || chosenAgent === "" || chosenFolder === ""}>
            {isBusy ? "Starting …" : "Start"}
          </button>
        </div>
      </form>
      <Reason agent={agents?.find((agent) => agent.id === chosenAgent)} />
      {error !== null && (
        <p role="alert" className="error">
          {error}
        </p>
      )}
      {isNew && <Greeting agents={agents} setup={setup} onTour={takeTour} />}
    </div>
  );
}

function Reason({ agent }: { agent: AgentRow | undefined }) {
  if (agent === undefined || agent.readiness === "ready" || agent.reason === null) return null;
  return <p className="hint">{agent.reason}</p>;
}

/** The one used last, else the first that is ready. */
function sensibleAgent(agents: readonly AgentRow[] | null, last: string | undefined): string {
  const ready = (agents ?? []).filter((agent) => agent.readiness === "ready");
  return (ready.find((agent) => agent.id === last) ?? ready[0] ?? agents?.[0])?.id ?? "";
}
