// The start page: the first prompt of a new thread, where it runs and which agent does it; below it every agent with what it needs.

import { type AgentRow, makeTitle } from "@signalbox/protocol";
import { submitPrompt, useQuery, useStore, useThreads } from "@signalbox/react";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { loadPart } from "../../connection/load-part.ts";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useArrivingText } from "../../hooks/use-arriving-text.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { showNotice } from "../../stores/notices.ts";
import { goWhenReady } from "../../stores/person-activity.ts";
import { keepWhileStarting } from "../../stores/starting-prompt.ts";
import { fromHome, toAbsolute } from "../../text/paths.ts";
import { PromptBox } from "../composer/prompt-box.tsx";
import { textOfPrompt } from "../composer/prompt-text.ts";
import { usePrompt } from "../composer/use-prompt.ts";
import { StartStep, useAgentActivity } from "../details/agent-activity.tsx";
import { LoadProblem } from "../shared/load-problem.tsx";
import { AgentField, chooseAgent } from "./agent-field.tsx";
import { FolderField } from "./folder-field.tsx";
import { MachineField } from "./machine-field.tsx";
import { type StartChoices, StartOptions, useOffers } from "./start-options.tsx";
import { type WorktreeChoice, WorktreeField } from "./worktree-field.tsx";

const AgentList = lazy(() => loadPart(() => import("./agent-list.tsx")));
const NoModel = lazy(() => loadPart(() => import("./no-model.tsx")));

/** `folder`: the one that the address names, from the list of threads. */
export function StartPage({ folder: named }: { folder: string | undefined }) {
  const { connection, machine: hostMachine } = useSignalbox();
  const agents = useQuery("agents.list", {});
  const setups = useQuery("setup.get", {});
  const setup = setups.rows?.[0] ?? null;
  const threads = useThreads();
  const { machines } = useStore(hostMachine);
  const here = machines[0]?.machine;
  const [machine, setMachine] = useState<string | undefined>(undefined);
  const isElsewhere = machine !== undefined && machine !== here;
  const [agentId, setAgentId] = useState("");
  const [more, setMore] = useState<readonly string[]>([]);
  const [choices, setChoices] = useState<StartChoices>({});
  const [worktree, setWorktree] = useState<WorktreeChoice>({ isOn: false, branch: "" });
  const { attempt, error, isBusy } = useAttempt();
  const there = threads?.filter((thread) => thread.machine === undefined || thread.machine === (machine ?? here));
  // A thread of the demo says nothing about the agent or the folder that a person works with.
  const demo = agents.rows?.find((row) => row.demo === true);
  const lastThread = there?.find((thread) => thread.agent_id !== demo?.id);
  const home = setup?.home_folder ?? null;
  const agent = chooseAgent(agents.rows, agentId, lastThread?.agent_id);
  const lastFolder = named ?? lastThread?.git?.project ?? lastThread?.cwd ?? setup?.start_folder ?? "";
  const folder = useArrivingText(isElsewhere ? lastFolder : fromHome(lastFolder, home));
  // Where the home folder of another machine is, is not known here.
  const absolute = (path: string, known = home) => (isElsewhere ? path : toAbsolute(path, known));
  const absoluteFolder = absolute(folder.text);
  const knownFolders = isElsewhere ? [...new Set(there?.map(({ cwd }) => cwd))] : null;
  const offers = useOffers(agent);
  const field = useRef<HTMLTextAreaElement>(null);
  const prompt = usePrompt({
    field,
    draft: "new",
    folder: absoluteFolder,
    files: isElsewhere || !absoluteFolder.startsWith("/") ? null : { cwd: absoluteFolder },
    commands: offers?.available_commands ?? null,
  });
  // An agent that is not there, or has no model, cannot work. One that wanted a log-in may have got it in a terminal meanwhile.
  const isImpossible = !isElsewhere && (agent?.readiness === "not_installed" || lacksModel(agent));
  const hasNoModel = agents.rows?.every((row) => row.demo === true || row.readiness !== "ready") === true;
  const choose = (id: string) => {
    setAgentId(id);
    setChoices({});
  };
  const refresh = () => {
    agents.refresh();
    setups.refresh();
  };

  /** A person who is quick may start before the answer is there. */
  const setupNow = async () => setup ?? (await connection.query("setup.get", {})).rows[0] ?? null;

  const start = async () => {
    const blocks = prompt.blocks();
    const isEmpty = prompt.isEmpty;
    const openThread = goWhenReady();
    // Emptied now: what is typed while the agent starts is another prompt, and stays.
    const typed = prompt.clear();
    const forget = keepWhileStarting(typed.text);
    const isStarted = await attempt(async () => {
      const known = (await setupNow())?.home_folder ?? null;
      const furtherFolders = more.filter((path) => path.trim() !== "").map((path) => absolute(path.trim(), known));
      const title = makeTitle(textOfPrompt(blocks));
      const { thread_id: threadId } = await connection.request("session.create", {
        agent_id: agent?.id ?? "",
        cwd: absolute(folder.text, known),
        ...(furtherFolders.length === 0 ? {} : { additional_directories: furtherFolders }),
        ...(isElsewhere ? { machine } : {}),
        ...(title === "" ? {} : { title }),
        ...choices,
        ...(worktree.isOn && !isElsewhere
          ? { worktree: worktree.branch === "" ? {} : { branch: worktree.branch } }
          : {}),
      });
      if (!isEmpty) await submitPrompt(connection, threadId, blocks);
      openThread({ page: "thread", threadId }, `The thread “${title}” has started. It is in the list.`);
    });
    if (!isStarted) prompt.putBack(typed);
    forget();
  };
  const startDemo = () => {
    const openThread = goWhenReady();
    return attempt(async () => {
      const cwd = (await setupNow())?.demo_folder ?? "";
      const { thread_id: threadId } = await connection.request("session.create", {
        agent_id: demo?.id ?? "",
        cwd,
        title: "Demo",
      });
      await submitPrompt(connection, threadId, [{ type: "text", text: "Write a note and improve it" }]);
      openThread({ page: "thread", threadId }, "The demo has started. It is in the list.");
    });
  };

  return (
    <div className="start">
      <h1>What do you want to do?</h1>
      <PromptBox
        prompt={prompt}
        field={field}
        label="First prompt"
        placeholder="Describe a task; / for commands, @ for files"
        rows={3}
        onSubmit={() => {
          if (agents.rows === null) showNotice("The list of agents is still loading. Try again in a moment.");
          else if (!isBusy && !isImpossible && agent !== undefined && folder.text !== "") void start();
        }}
        options={
          <>
            <AgentField agents={agents.rows} agent={agent} isElsewhere={isElsewhere} onChange={choose} />
            {!isElsewhere && (
              <StartOptions
                agent={agent}
                offers={offers}
                value={choices}
                onChange={(chosen) => {
                  // They are this agent's: threads that arrive now do not put another one in its place.
                  if (agent !== undefined) setAgentId(agent.id);
                  setChoices(chosen);
                }}
                onAsked={agents.refresh}
              />
            )}
          </>
        }
        actions={
          <button
            type="submit"
            className="button primary"
            disabled={isBusy || isImpossible || agent === undefined || folder.text === ""}
          >
            {isBusy ? "Starting …" : "Start"}
          </button>
        }
        below={
          <>
            <div className="row where">
              <MachineField
                machines={machines}
                value={machine ?? here ?? ""}
                onChange={(chosen) => {
                  setMachine(chosen);
                  folder.set(null);
                }}
              />
              <FolderField
                value={folder.text}
                onChange={folder.set}
                onFocus={folder.onFocus}
                onBlur={folder.onBlur}
                home={home}
                known={knownFolders}
              />
              {!isElsewhere && <WorktreeField folder={absoluteFolder} value={worktree} onChange={setWorktree} />}
              <button
                type="button"
                className="quiet"
                title="The agent also works in this folder, where it can"
                onClick={() => setMore([...more, ""])}
              >
                Add folder
              </button>
            </div>
            {more.map((path, index) => (
              <div className="row" key={index}>
                <FolderField
                  label={`Folder ${index + 2}`}
                  value={path}
                  onChange={(next) => setMore(more.with(index, next))}
                  home={home}
                  known={knownFolders}
                />
                <button type="button" className="quiet" onClick={() => setMore(more.toSpliced(index, 1))}>
                  Remove
                </button>
              </div>
            ))}
          </>
        }
      />
      {isBusy && <Starting />}
      {error === null && !isElsewhere && !hasNoModel && agent?.readiness !== "ready" && (
        <p className="hint">{agent?.reason}</p>
      )}
      {(error ?? prompt.error) !== null && (
        <p role="alert" className="error">
          {error ?? prompt.error}
        </p>
      )}
      <LoadProblem what="The agents" state={agents} />
      <LoadProblem what="What this machine has" state={setups} />
      {/* Their code loads after the field can be used; nothing above them moves when they come. */}
      <Suspense fallback={null}>
        {hasNoModel && setup !== null && agents.rows !== null && (
          <NoModel
            setup={setup}
            agents={agents.rows}
            onChanged={refresh}
            onDemo={() => void startDemo()}
            onDone={() => {
              choose("signalbox");
              field.current?.focus();
            }}
          />
        )}
        {agents.rows !== null && (
          <AgentList
            agents={agents.rows}
            chosen={agent?.id}
            onChoose={choose}
            onChanged={refresh}
            onDemo={() => void startDemo()}
          />
        )}
      </Suspense>
    </div>
  );
}

/** Our own agent says that it needs a key only where there is none. */
function lacksModel(agent: AgentRow | undefined): boolean {
  return agent?.id === "signalbox" && agent.readiness === "needs_login" && agent.reason === agent.login;
}

/** Shows the progress of a starting agent and the lines it prints. */
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
