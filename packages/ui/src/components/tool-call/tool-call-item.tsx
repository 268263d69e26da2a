// Shows a tool call on the timeline: status, title, duration; input and output when it is open. Edits, failures and running commands are open.
import {
  duration,
  isHostItem,
  type PermissionRow,
  type ToolCallRow,
  toolCallMs,
  toolCallProgress,
} from "@signalbox/protocol";
import { readCommand } from "@signalbox/rules";
import { memo, useEffect, useId } from "react";
import { useFolder, useToolCallPermission } from "../../hooks/open-thread.tsx";
import { useNow } from "../../hooks/use-now.ts";
import { useOpen } from "../../hooks/use-open.ts";
import { keepOpen } from "../../stores/open-items.ts";
import { lastName, shortPath } from "../../text/paths.ts";
import { agentTitle } from "../../text/title-pieces.ts";
import { LineCounts } from "../diff/line-counts.tsx";
import { isCommandTitle } from "../permission/answers.ts";
import { Icon } from "../shared/icon.tsx";
import { PathLink } from "../shared/path-link.tsx";
import { CallTitle } from "./call-title.tsx";
import { comparedChange, fileChanges } from "./file-changes.ts";
import { ToolCallBody } from "./tool-call-body.tsx";

export const statusLabels: Readonly<Record<string, string>> = {
  pending: "pending",
  in_progress: "running",
  failed: "failed",
};

interface ToolCallItemProps {
  readonly toolCall: ToolCallRow;
  /** The commands that the host ran for it: their questions and their waiting count as the call's. */
  readonly commands?: readonly ToolCallRow[] | undefined;
}

export const ToolCallItem = memo(function ToolCallItem({ toolCall, commands = noCommands }: ToolCallItemProps) {
  const { title, kind, status, thread_id, seq } = toolCall;
  const own = useToolCallPermission(toolCall.tool_call_id);
  const ofCommand = useToolCallPermission(commands.at(-1)?.tool_call_id ?? null);
  const permission = own ?? ofCommand;
  const isWaiting = permission?.status === "pending";
  const changes = fileChanges(toolCall);
  const isLive = kind === "execute" && status === "in_progress";
  // While a question shows the change, it does not stand here a second time.
  const isUnfolded = !isWaiting && (status === "failed" || changes.length > 0 || isLive);
  const [isOpen, toggle] = useOpen(`${thread_id} ${seq}`, isUnfolded);
  // A call that was open while it ran stays open when it ends.
  useEffect(() => {
    if (isLive) keepOpen(`${thread_id} ${seq}`);
  }, [isLive, thread_id, seq]);
  const bodyId = useId();
  const state = isWaiting ? "waiting" : status;
  return (
    <article
      className="entry tool"
      data-status={state}
      aria-label={`Tool call: ${title}, ${isWaiting ? "waiting for you" : status}`}
    >
      <div className="card">
        <div className="card-top">
          <button type="button" className="card-head" aria-expanded={isOpen} aria-controls={bodyId} onClick={toggle}>
            <Icon name={kind} />
            <span className="visually-hidden">{kind}</span>
            <Head toolCall={toolCall} />
            <Counts changes={changes} />
            <span className="right">
              <State toolCall={toolCall} permission={permission} />
              <Took toolCall={withWaits(toolCall, commands)} />
            </span>
          </button>
          <Locations toolCall={toolCall} />
        </div>
        <ProgressBar toolCall={toolCall} />
        <div id={bodyId}>{isOpen && <ToolCallBody toolCall={toolCall} commands={commands} />}</div>
      </div>
    </article>
  );
});

const noCommands: readonly ToolCallRow[] = [];

function withWaits(toolCall: ToolCallRow, commands: readonly ToolCallRow[]): ToolCallRow {
  if (commands.length === 0) return toolCall;
  return { ...toolCall, waited_ms: commands.reduce((sum, { waited_ms }) => sum + waited_ms, toolCall.waited_ms) };
}

/** A command, or the file of a change, says what happens; what the agent calls it comes after that, unless it is the same. */
function Head({ toolCall }: { toolCall: ToolCallRow }) {
  const { title, kind, raw_input: input } = toolCall;
  const folder = useFolder();
  // The host's own title says what runs, without the shell around it.
  const command = kind === "execute" && !isHostItem(toolCall) ? readCommand(input)?.trim() : undefined;
  const [file, ...others] = [...new Set(fileChanges(toolCall).map(({ change }) => change.path))];
  const isNamed = file === undefined || title.includes(lastName(file));
  const what =
    command !== undefined && command !== "" && !isCommandTitle(title, command)
      ? command
      : command === undefined && !isNamed
        ? shortPath(file, folder) + (others.length > 0 ? ` +${others.length}` : "")
        : undefined;
  if (what === undefined) return <CallTitle title={title} />;
  return (
    <>
      <code className="title" dir="ltr" title={what}>
        {what.split("\n")[0]}
      </code>
      <span className="agent-title" dir="auto">
        {agentTitle(title)}
      </span>
    </>
  );
}

function Locations({ toolCall: { locations, title } }: { toolCall: ToolCallRow }) {
  const folder = useFolder();
  const [first] = locations;
  if (first === undefined) return null;
  const path = shortPath(first.path, folder);
  const line = typeof first.line === "number" ? first.line : undefined;
  // Most titles contain the path: then show only the line.
  const text = title.includes(path)
    ? line === undefined
      ? "file"
      : `line ${line}`
    : path + (line === undefined ? "" : `:${line}`);
  const more = locations.length > 1 ? ` +${locations.length - 1}` : "";
  return (
    <PathLink path={first.path} line={line} className="chip place-chip">
      {text}
      {more}
      {!text.startsWith(path) && <span className="visually-hidden"> of {path}</span>}
    </PathLink>
  );
}

/** How far the call is, where the agent reports it. Others show how long they run. */
function ProgressBar({ toolCall }: { toolCall: ToolCallRow }) {
  const progress = toolCallProgress(toolCall);
  if (progress === null) return null;
  const percent = Math.floor(progress.part * 100);
  return (
    <div
      className="call-progress"
      role="progressbar"
      aria-label={`Progress of ${toolCall.title}`}
      aria-valuenow={percent}
      aria-valuetext={progress.message === null ? `${percent} %` : `${percent} %, ${progress.message}`}
    >
      <i style={{ width: `${progress.part * 100}%` }} />
    </div>
  );
}

/** Of all files together: where one of them is not compared here, a part of the sum would be false. */
function Counts({ changes }: { changes: ReturnType<typeof fileChanges> }) {
  const files = changes.map(({ source, change }) => comparedChange(source, change)).filter((file) => file !== null);
  return files.length === changes.length ? <LineCounts files={files} /> : null;
}

/** The state of the call and what was decided about it. What was not allowed and never began did not fail: it was denied. */
function State({ toolCall, permission }: { toolCall: ToolCallRow; permission: PermissionRow | null }) {
  const { status, started_at } = toolCall;
  if (permission?.status === "pending") return <span className="state">waiting for you</span>;
  const label = statusLabels[status] ?? (status === "completed" ? "" : status);
  if (permission === null) return <span className="state">{label}</span>;
  const by = permission.rule === null ? "" : ` by rule ${permission.rule}`;
  const isOnlyRefused = permission.status !== "allowed" && status === "failed" && started_at === null;
  return (
    <>
      {!isOnlyRefused && <span className="state">{label}</span>}
      <span className={isOnlyRefused ? "state" : undefined} title={`${permission.status}${by}`}>
        {permission.status.replace("_", " ")}
      </span>
    </>
  );
}

/** How long the call took or has been running; the time in which it waited for a person stands apart. */
function Took({ toolCall }: { toolCall: ToolCallRow }) {
  const { status, ended_at, waited_ms } = toolCall;
  const isRunning = status === "in_progress" && ended_at === null;
  const now = useNow(isRunning);
  const ms = toolCallMs(isRunning ? { ...toolCall, ended_at: now } : toolCall);
  if (ms === null || (isRunning && ms < 1000)) return null;
  return (
    <>
      {waited_ms >= 1000 && (
        <span className="waited" title="How long it waited for an answer, apart from its own time">
          waited {duration(waited_ms)}
        </span>
      )}
      <span>{isRunning && ms < 60_000 ? `${Math.floor(ms / 1000)} s` : duration(ms)}</span>
    </>
  );
}
