// The start page: machine, agent, folder, mode and first prompt of a new thread; for a new user also what is installed.
import type { AgentRow } from "@signalbox/protocol";
import { type FormEvent, useEffect, useId, useState } from "react";
import { submitPrompt } from "../../connection/submit-prompt.ts";
import { useSignalbox } from "../../hooks/signalbox.tsx";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { useQuery } from "../../hooks/use-query.ts";
import { addressOf, go } from "../../hooks/use-route.ts";
import { useStore } from "../../hooks/use-store.ts";
import { useThreads } from "../../hooks/use-threads.ts";
import { toAbsolute } from "../../text/paths.ts";
import { modesOf } from "../composer/option-choices.ts";
import { useDraft } from "../composer/use-draft.ts";
import { StartStep, useAgentActivity } from "../details/agent-activity.tsx";
import { MachineField } from "./machine-field.tsx";
import { demoScript, Welcome } from "./welcome.tsx";
import { type WorktreeChoice, WorktreeField } from "./worktree-field.tsx";

export function StartPage() {
  const { connection } = useSignalbox();
  const agents = useQuery("agents.list", {}).rows;
  const setup = useQuery("setup.get", {}).rows?.[0] ?? null;
  const threads = useThreads();
  const { machines } = useStore(useSignalbox().machine);
  const here = machines[0]?.machine;
  const [machine, setMachine] = useState<string | undefined>(undefined);
  const isElsewhere = machine !== undefined && machine !== here;
  const [agentId, setAgentId] = useState("");
  const [folder, setFolder] = useState<string | null>(null);
  const [more, setMore] = useState<readonly string[]>([]);
  const [modeId, setModeId] = useState("");
  const [worktree, setWorktree] = useState<WorktreeChoice>({ isOn: false, branch: "" });
  const [prompt, setPrompt] = useDraft("new");
  const { attempt, error, isBusy } = useAttempt();
  const there = threads?.filter((thread) => thread.machine === undefined || thread.machine === (machine ?? here));
  const lastThread = there?.[0];
  const chosenAgent = agentId === "" ? defaultAgent(agents, lastThread?.agent_id) : agentId;
  const lastFolder = lastThread?.git?.project ?? lastThread?.cwd;
  const chosenFolder = folder ?? lastFolder ?? setup?.start_folder ?? "";
  // Where the home folder of another machine is, is not known here.
  const absolute = (path: string) => (isElsewhere ? path : toAbsolute(path, setup?.home_folder ?? null));
  const absoluteFolder = absolute(chosenFolder);
  const furtherFolders = more.filter((path) => path.trim() !== "").map((path) => absolute(path.trim()));
  const knownFolders = isElsewhere ? [...new Set(there?.map(({ cwd }) => cwd))] : null;
  const isNew = threads?.length === 0;

  const start = (text: string) =>
    attempt(async () => {
      const title = text === demoScript ? "Demo" : (text.trim().split("\n")[0]?.slice(0, 80) ?? "");
      const created = await connection.request({
        control: "session.create",
        agent_id: chosenAgent,
        cwd: absoluteFolder,
        ...(furtherFolders.length === 0 ? {} : { additional_directories: furtherFolders }),
        ...(isElsewhere ? { machine } : {}),
        ...(title === "" ? {} : { title }),
        ...(modeId === "" ? {} : { mode_id: modeId }),
        ...(worktree.isOn && !isElsewhere
          ? { worktree: worktree.branch === "" ? {} : { branch: worktree.branch } }
          : {}),
      });
      if (created.type !== "tinyvex.ok" || created.thread_id === undefined)
        throw new Error("Could not create the thread.");
      if (text.trim() !== "") await submitPrompt(connection, created.thread_id, [{ type: "text", text }]);
      setPrompt("");
      go({ page: "thread", threadId: created.thread_id });
    });
  const fillInDemo = () => {
    setAgentId("demo");
    setPrompt(demoScript);
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void start(prompt);
  };

  return (
    <div className="start">
      <h1>What do you want to do?</h1>
      <p className="lead">Choose an agent and a folder. Everything it does is shown and saved here.</p>
      <form onSubmit={onSubmit} className="box">
        <textarea
          aria-label="First prompt"
          placeholder="Describe a task"
          rows={3}
          value={prompt}
          dir="auto"
          onChange={(event) => setPrompt(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) onSubmit(event);
          }}
        />
        <div className="row">
          <MachineField
            machines={machines}
            value={machine ?? here ?? ""}
            onChange={(chosen) => {
              setMachine(chosen);
              setFolder(null);
            }}
          />
          <label>
            Agent
            <select aria-label="Agent" value={chosenAgent} onChange={(event) => setAgentId(event.target.value)}>
              {agents?.map((agent) => (
                <option key={agent.id} value={agent.id}>
                  {agent.label}
                  {isElsewhere || agent.readiness === "ready" ? "" : ` (${String(agent.readiness).replace("_", " ")})`}
                </option>
              ))}
            </select>
          </label>
          <FolderField value={chosenFolder} onChange={setFolder} known={knownFolders} />
          <button
            type="button"
            className="quiet"
            title="The agent also works in this folder, where it can"
            onClick={() => setMore([...more, ""])}
          >
            Add folder
          </button>
          <ModeField agentId={chosenAgent} value={modeId} onChange={setModeId} />
          <button type="submit" className="send" disabled={isBusy || chosenAgent === "" || chosenFolder === ""}>
            {isBusy ? "Starting …" : "Start"}
          </button>
        </div>
        {more.map((path, index) => (
          <div className="row" key={index}>
            <FolderField
              label={`Folder ${index + 2}`}
              value={path}
              onChange={(next) => setMore(more.with(index, next))}
              known={knownFolders}
            />
            <button type="button" className="quiet" onClick={() => setMore(more.toSpliced(index, 1))}>
              Remove
            </button>
          </div>
        ))}
        {!isElsewhere && <WorktreeField folder={absoluteFolder} value={worktree} onChange={setWorktree} />}
      </form>
      {isBusy && <Starting />}
      {error === null && !isElsewhere && <Reason agent={agents?.find((agent) => agent.id === chosenAgent)} />}
      {error !== null && (
        <p role="alert" className="error">
          {error}
        </p>
      )}
      {isNew && <Welcome agents={agents} setup={setup} onDemo={fillInDemo} />}
    </div>
  );
}

/** What an agent that is starting does, and what it prints meanwhile. */
function Starting() {
  const { connection } = useSignalbox();
  const [threadId, setThreadId] = useState<string | null>(null);
  useEffect(
    () =>
      connection.onMessage((message) => {
        if (message.type !== "host.progress" || message.task !== "agents.start") return;
        setThreadId(message.finished ? null : message.subject);
      }),
    [connection],
  );
  const activity = useAgentActivity(threadId);
  if (activity === null) return null;
  return (
    <div className="starting">
      <StartStep activity={activity} />
      {activity.output !== "" && <pre className="agent-output">{activity.output.slice(-2000)}</pre>}
    </div>
  );
}

/** Why the chosen agent cannot work yet. */
function Reason({ agent }: { agent: AgentRow | undefined }) {
  if (agent === undefined || agent.readiness === "ready" || agent.reason === null) return null;
  return (
    <p className="hint">
      {agent.reason}
      {agent.id === "signalbox" && (
        <>
          {" "}
          <a href={addressOf({ page: "settings" })}>How to set a key</a>
        </>
      )}
    </p>
  );
}

/** The agent of the latest thread, else the first that is ready. */
function defaultAgent(agents: readonly AgentRow[] | null, last: string | undefined): string {
  const ready = (agents ?? []).filter((agent) => agent.readiness === "ready");
  return (ready.find((agent) => agent.id === last) ?? ready[0] ?? agents?.[0])?.id ?? "";
}

interface FolderFieldProps {
  readonly label?: string;
  readonly value: string;
  readonly onChange: (folder: string) => void;
  /** The folders of another machine, as far as they are known; null for this machine, which is asked. */
  readonly known: readonly string[] | null;
}

/** The folder to work in, with suggestions of existing folders. */
function FolderField({ label = "Folder", value, onChange, known }: FolderFieldProps) {
  const listId = useId();
  const { home } = useStore(useSignalbox().machine);
  const [isTouched, setTouched] = useState(false);
  const { rows } = useQuery(
    "folders.complete",
    known === null && isTouched && value !== "" ? { prefix: toAbsolute(value, home) } : null,
  );
  const suggestions = known ?? rows?.map(({ path }) => path) ?? [];
  return (
    <label className="grow">
      {label}
      <input
        value={value}
        list={listId}
        placeholder="/home/you/project"
        spellCheck={false}
        autoComplete="off"
        onFocus={() => setTouched(true)}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={listId}>
        {suggestions.map((path) => (
          <option key={path} value={path} />
        ))}
      </datalist>
    </label>
  );
}

interface ModeFieldProps {
  readonly agentId: string;
  readonly value: string;
  readonly onChange: (modeId: string) => void;
}

/** The mode to start in. An agent names its modes only inside a session, so they come from its latest thread. */
function ModeField({ agentId, value, onChange }: ModeFieldProps) {
  const last = useThreads()?.find((thread) => thread.agent_id === agentId);
  const { rows } = useQuery("state.get", last === undefined ? null : { thread_id: last.id });
  const state = rows?.[0];
  const modes = last === undefined || state?.thread_id !== last.id ? [] : modesOf(state.modes);
  if (modes.length === 0) return null;
  return (
    <label>
      Mode
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">Agent's default</option>
        {modes.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
