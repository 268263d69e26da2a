// The tool calls of all threads, the newest first, narrowed down by tool, kind, status, agent, folder and time. Each leads to its place in its thread.

import { duration, type QueryArgs, type QueryRow, toolCallMs } from "@signalbox/protocol";
import { useAgentLabel, useQuery } from "@signalbox/react";
import { readCommand } from "@signalbox/rules";
import { useId } from "react";
import { useFolderName } from "../../hooks/use-folder-name.ts";
import { formatRoute, replaceRoute, type ToolCallsRoute } from "../../hooks/use-route.ts";
import { ago } from "../../text/time.ts";
import { limitToDays, SearchFiltersRow } from "../search/search-filters.tsx";
import { Icon } from "../shared/icon.tsx";
import { ListBox } from "../shared/list-box.tsx";
import { LoadProblem } from "../shared/load-problem.tsx";
import { CallTitle } from "../tool-call/call-title.tsx";
import { statusLabels } from "../tool-call/tool-call-item.tsx";

const statuses = ["pending", "in_progress", "completed", "failed"];

export default function ToolCallsPage({ route }: { route: ToolCallsRoute }) {
  const state = useQuery("tool_calls.list", buildQueryArgs(route));
  const { rows, isStale, error, hasMore, loadMore } = state;
  return (
    <div className="page tool-calls-page">
      <h1>Tool calls</h1>
      <Filters route={route} />
      <LoadProblem what="The tool calls" state={state} />
      <p className="hint" role="status">
        {isStale && error === null && "Searching …"}
        {rows !== null &&
          !isStale &&
          (rows.length === 0
            ? "No matches."
            : `${rows.length}${hasMore ? "+" : ""} ${rows.length === 1 ? "tool call" : "tool calls"}`)}
      </p>
      <ol className="hits">
        {(rows ?? []).map((call) => (
          <li key={`${call.thread_id} ${call.seq}`}>
            <CallLine call={call} />
          </li>
        ))}
      </ol>
      {hasMore && (
        <button type="button" className="more" onClick={loadMore}>
          Older tool calls
        </button>
      )}
    </div>
  );
}

/** The filters are in the address, so that Back and reload keep them. */
function Filters({ route }: { route: ToolCallsRoute }) {
  const tools = useId();
  const byTool = useQuery("stats", { group_by: ["name"], since: 0 });
  const names = (byTool.rows ?? []).flatMap((row) =>
    row.stat === "tool_calls" && row.name !== null ? [row.name] : [],
  );
  const { agent = "", kind = "", folder = "", days = 0, tool = "", status = "" } = route;
  const set = (change: Partial<ToolCallsRoute>) => replaceRoute({ ...route, ...change });
  return (
    <search>
      <SearchFiltersRow filters={{ agent, kind, folder, days }} onChange={set} isOnlyTools>
        <label>
          Tool
          <input
            value={tool}
            placeholder="any"
            list={tools}
            spellCheck={false}
            onChange={(event) => set({ tool: event.target.value })}
          />
          <datalist id={tools}>
            {[...new Set(names)].map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </label>
        <span className="labelled">
          Status
          <ListBox
            label="Status"
            value={status}
            onChange={(chosen) => set({ status: chosen })}
            options={[
              { value: "", name: "any" },
              ...statuses.map((each) => ({ value: each, name: statusLabels[each] ?? each })),
            ]}
          />
        </span>
      </SearchFiltersRow>
      <LoadProblem what="The names of tools" state={byTool} />
    </search>
  );
}

function buildQueryArgs({ agent, kind, folder, days, tool, status }: ToolCallsRoute): QueryArgs<"tool_calls.list"> {
  return {
    limit: 50,
    ...given("agent_id", agent),
    ...given("kind", kind),
    ...given("cwd", folder),
    ...given("name", tool),
    ...given("status", status),
    ...limitToDays(days ?? 0),
  };
}

function given(name: string, value: string | undefined): Record<string, string> {
  return value === undefined || value === "" ? {} : { [name]: value };
}

function CallLine({ call }: { call: QueryRow<"tool_calls.list"> }) {
  const labelOf = useAgentLabel();
  const folderName = useFolderName();
  const { thread_id: threadId, seq, title, kind, name, status, raw_input: input, agent_id: agent, cwd } = call;
  const ms = toolCallMs(call);
  // A command says more than what the agent calls it.
  const command = readCommand(input)?.split("\n")[0];
  return (
    <a href={formatRoute({ page: "thread", threadId, seq })} data-status={status}>
      <Icon name={kind} />
      <b>{command === undefined ? <CallTitle title={title} /> : <code>{command}</code>}</b>
      <small>
        {name ?? kind} · {statusLabels[status] ?? (status === "completed" ? "done" : status)}
        {ms !== null && ` · ${duration(ms)}`}
      </small>
      <time>{ago(call.created_at)}</time>
      <span className="snippet">
        {call.thread_title ?? "Untitled"} · {labelOf(agent ?? "")} · {folderName(cwd ?? "")}
      </span>
    </a>
  );
}
