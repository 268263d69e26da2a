// Shows a tool call on the timeline as one bar, with the change or the output directly under it when it is open. Edits, failures, running
// commands and commands that left settings to decide about are open.
import {
  duration,
  listShownTerminals,
  type PermissionRow,
  type ToolCallRow,
  terminalEnding,
  toolCallMs,
  toolCallProgress,
} from "@signalbox/protocol";
import { memo, useCallback, useId, useState, useSyncExternalStore } from "react";
import { useFailedTerminal, useFolder, useHasPutAside, useToolCallPermission } from "../../hooks/open-thread.tsx";
import { useNow } from "../../hooks/use-now.ts";
import { useOpen } from "../../hooks/use-open.ts";
import { openItems, setOpen } from "../../stores/open-items.ts";
import { shortPath } from "../../text/paths.ts";
import { LineCounts } from "../diff/line-counts.tsx";
import { Icon } from "../shared/icon.tsx";
import { PathLink } from "../shared/path-link.tsx";
import { describeBar } from "./bar-object.ts";
import { CallTitle } from "./call-title.tsx";
import { comparedChange, fileChanges } from "./file-changes.ts";
import { RawMenu, type RawPart, RawText } from "./raw-parts.tsx";
import { OutputTail } from "./terminal-text.tsx";
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
  /** A step of an unfolded run: a row without a frame. */
  readonly isRow?: true | undefined;
}

export const ToolCallItem = memo(function ToolCallItem({ toolCall, commands = noCommands, isRow }: ToolCallItemProps) {
  const { title, kind, status, thread_id, seq } = toolCall;
  const own = useToolCallPermission(toolCall.tool_call_id);
  const ofCommand = useToolCallPermission(commands.at(-1)?.tool_call_id ?? null);
  const permission = own ?? ofCommand;
  const isWaiting = permission?.status === "pending";
  const changes = fileChanges(toolCall);
  const isLive = kind === "execute" && status === "in_progress";
  // While a question shows the change, it is not shown here a second time. What was cancelled or refused changed nothing.
  const hasAside = useHasPutAside(listTerminals(toolCall, commands));
  const isUnfolded = !isWaiting && (isLive || status === "failed" || changes.length > 0 || hasAside);
  // A row that is opened stays a row; a card that is opened by hand is never folded.
  const key = isRow === true ? `${thread_id} row ${seq}` : `${thread_id} ${seq}`;
  const [isOpen, toggle] = useOpen(key, isUnfolded);
  const isChosen = useSyncExternalStore(openItems.subscribe, () => openItems.get().get(key) === true);
  const showAll = useCallback(() => setOpen(key, true), [key]);
  const [raw, setRaw] = useState<RawPart | null>(null);
  const bodyId = useId();
  const state = isWaiting ? "waiting" : status;
  const took = withWaits(toolCall, commands);
  return (
    <article
      className={isRow === true ? "entry tool step" : "entry tool"}
      data-status={state}
      aria-label={`Tool call: ${title}, ${isWaiting ? "waiting for you" : status}`}
    >
      <div className="tool-card">
        <div className="bar">
          <button type="button" className="bar-main" aria-expanded={isOpen} aria-controls={bodyId} onClick={toggle}>
            <Icon name={kind} />
            <span className="visually-hidden">{kind}</span>
            <BarObject toolCall={toolCall} />
            <Counts changes={changes} />
            <span className="right">
              <State toolCall={toolCall} permission={permission} />
              <Ending toolCall={toolCall} commands={commands} />
              <Hunks changes={changes} />
              <Took toolCall={took} />
            </span>
          </button>
          <span className="bar-tools">
            <Locations toolCall={toolCall} />
            <RawMenu toolCall={toolCall} onChoose={setRaw} />
          </span>
        </div>
        <ProgressBar toolCall={toolCall} />
        <div id={bodyId}>
          {isOpen && (
            <OutputTail value={isLive && !isChosen ? showAll : null}>
              <ToolCallBody toolCall={toolCall} commands={commands} />
            </OutputTail>
          )}
        </div>
        {raw !== null && <RawText toolCall={toolCall} part={raw} onClose={() => setRaw(null)} />}
      </div>
    </article>
  );
});

const noCommands: readonly ToolCallRow[] = [];

function listTerminals(toolCall: ToolCallRow, commands: readonly ToolCallRow[]): readonly string[] {
  return [toolCall, ...commands].flatMap(({ content }) => listShownTerminals(content));
}

function withWaits(toolCall: ToolCallRow, commands: readonly ToolCallRow[]): ToolCallRow {
  if (commands.length === 0) return toolCall;
  return { ...toolCall, waited_ms: commands.reduce((sum, { waited_ms }) => sum + waited_ms, toolCall.waited_ms) };
}

/** The command or the file says what happens; the agent's own words come after it, unless they say the same. */
function BarObject({ toolCall }: { toolCall: ToolCallRow }) {
  const { object, words } = describeBar(toolCall, useFolder());
  if (object === null) return <CallTitle title={words ?? ""} />;
  return (
    <>
      <code className="title" dir="ltr" title={object}>
        {object.split("\n")[0]}
      </code>
      {words !== null && (
        <span className="agent-title" dir="auto">
          {words}
        </span>
      )}
    </>
  );
}

/** How a command ended, only if that was not with 0. */
function Ending({ toolCall, commands }: { toolCall: ToolCallRow; commands: readonly ToolCallRow[] }) {
  const failed = useFailedTerminal(listTerminals(toolCall, commands));
  return failed === null ? null : <span className="state failed">{terminalEnding(failed)}</span>;
}

/** How many places of the file changed, where that is more than one. */
function Hunks({ changes }: { changes: ReturnType<typeof fileChanges> }) {
  const [first, ...others] = changes;
  if (first === undefined || others.length > 0) return null;
  const hunks = comparedChange(first.source, first.change)?.hunks.length ?? 0;
  return hunks > 1 ? <span>{hunks} hunks</span> : null;
}

function Locations({ toolCall }: { toolCall: ToolCallRow }) {
  const folder = useFolder();
  const [first] = toolCall.locations;
  if (first === undefined) return null;
  const path = shortPath(first.path, folder);
  const line = typeof first.line === "number" ? first.line : undefined;
  const { object, words } = describeBar(toolCall, folder);
  // Most bars contain the path: then show only the line.
  const isNamed = `${object} ${words}`.includes(path);
  const text = isNamed ? (line === undefined ? "file" : `line ${line}`) : path + (line === undefined ? "" : `:${line}`);
  const more = toolCall.locations.length > 1 ? ` +${toolCall.locations.length - 1}` : "";
  return (
    <PathLink path={first.path} line={line} className="place-chip">
      {text}
      {more}
      {isNamed && <span className="visually-hidden"> of {path}</span>}
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
  // A running call shows for how long it runs.
  const label = status === "completed" || status === "in_progress" ? "" : (statusLabels[status] ?? status);
  if (permission === null) return <span className="state">{label}</span>;
  const isOnlyRefused = permission.status !== "allowed" && status === "failed" && started_at === null;
  return (
    <>
      {!isOnlyRefused && <span className="state">{label}</span>}
      <span className={isOnlyRefused ? "state" : undefined}>{permission.status.replace("_", " ")}</span>
      {permission.rule !== null && <span className="tag">rule {permission.rule}</span>}
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
