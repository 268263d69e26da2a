// The filters of a search: agent, kind, folder and time. The host says which agents, kinds and folders there are.

import type { FacetRow, QueryArgs } from "@signalbox/protocol";
import { useAgentLabel, useQuery } from "@signalbox/react";
import { type ReactNode, useId } from "react";
import { ListBox } from "../shared/list-box.tsx";
import { LoadProblem } from "../shared/load-problem.tsx";

export interface SearchFilters {
  readonly agent: string;
  readonly kind: string;
  readonly folder: string;
  readonly days: number;
}

export const noFilters: SearchFilters = { agent: "", kind: "", folder: "", days: 0 };

const any = { value: "", name: "any" };
const periods = [
  [0, "any time"],
  [1, "last day"],
  [7, "last week"],
  [30, "last month"],
  [90, "last 3 months"],
] as const;

const dayMs = 24 * 60 * 60 * 1000;
const hourMs = 60 * 60 * 1000;

/** Rounded to the hour, so that the same search has the same arguments. */
export function limitToDays(days: number): { readonly since?: number } {
  return days === 0 ? {} : { since: Math.floor((Date.now() - days * dayMs) / hourMs) * hourMs };
}

export function searchArgs(text: string, { agent, kind, folder, days }: SearchFilters): QueryArgs<"search"> {
  return {
    text,
    limit: 50,
    ...(agent === "" ? {} : { agent_id: agent }),
    ...(kind === "" ? {} : { kind }),
    ...(folder === "" ? {} : { cwd: folder }),
    ...limitToDays(days),
  };
}

interface FiltersProps {
  readonly filters: SearchFilters;
  readonly onChange: (filters: SearchFilters) => void;
  /** Only the kinds of tool calls can be chosen. */
  readonly isOnlyTools?: boolean;
  /** Further filters. */
  readonly children?: ReactNode;
}

/** Kinds of what is found that is no tool call. */
const otherKinds = ["thread", "message", "reason", "terminal"];

export function SearchFiltersRow({ filters, onChange, isOnlyTools = false, children }: FiltersProps) {
  const labelOf = useAgentLabel();
  const folderList = useId();
  const state = useQuery("facets.list", {});
  const listFacetValues = (facet: FacetRow["facet"]) =>
    (state.rows ?? []).filter((row) => row.facet === facet).map((row) => row.value);
  return (
    <div className="row filters">
      {children}
      <span className="labelled">
        Agent
        <ListBox
          label="Agent"
          value={filters.agent}
          onChange={(agent) => onChange({ ...filters, agent })}
          options={[any, ...listFacetValues("agent_id").map((agent) => ({ value: agent, name: labelOf(agent) }))]}
        />
      </span>
      <span className="labelled">
        Kind
        <ListBox
          label="Kind"
          value={filters.kind}
          onChange={(kind) => onChange({ ...filters, kind })}
          options={[
            any,
            ...listFacetValues("kind")
              .filter((kind) => !isOnlyTools || !otherKinds.includes(kind))
              .map((kind) => ({ value: kind, name: kind })),
          ]}
        />
      </span>
      <span className="labelled">
        When
        <ListBox
          label="When"
          value={String(filters.days)}
          onChange={(days) => onChange({ ...filters, days: Number(days) })}
          options={periods.map(([days, label]) => ({ value: String(days), name: label }))}
        />
      </span>
      <label className="grow">
        Folder
        <input
          value={filters.folder}
          placeholder="any"
          list={folderList}
          spellCheck={false}
          onChange={(event) => onChange({ ...filters, folder: event.target.value })}
        />
        <datalist id={folderList}>
          {listFacetValues("cwd").map((folder) => (
            <option key={folder} value={folder} />
          ))}
        </datalist>
      </label>
      <LoadProblem what="What can be chosen here" state={state} />
    </div>
  );
}
