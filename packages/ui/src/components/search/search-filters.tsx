// The filters of a search: agent, kind, folder and time. The host says which agents, kinds and folders there are.
import type { FacetRow, QueryArgs } from "@signalbox/protocol";
import { useId } from "react";
import { useAgentLabel } from "../../hooks/use-agent-label.ts";
import { useQuery } from "../../hooks/use-query.ts";

export interface SearchFilters {
  readonly agent: string;
  readonly kind: string;
  readonly folder: string;
  readonly days: number;
}

export const noFilters: SearchFilters = { agent: "", kind: "", folder: "", days: 0 };

const periods = [
  [0, "any time"],
  [1, "last day"],
  [7, "last week"],
  [30, "last month"],
] as const;

export function searchArgs(text: string, { agent, kind, folder, days }: SearchFilters): QueryArgs<"search"> {
  const day = 24 * 60 * 60 * 1000;
  return {
    text,
    limit: 50,
    ...(agent === "" ? {} : { agent_id: agent }),
    ...(kind === "" ? {} : { kind }),
    ...(folder === "" ? {} : { cwd: folder }),
    // Rounded to the hour, so that the same search has the same arguments.
    ...(days === 0 ? {} : { since: Math.floor((Date.now() - days * day) / 3_600_000) * 3_600_000 }),
  };
}

interface FiltersProps {
  readonly filters: SearchFilters;
  readonly onChange: (filters: SearchFilters) => void;
}

export function SearchFiltersRow({ filters, onChange }: FiltersProps) {
  const labelOf = useAgentLabel();
  const folderList = useId();
  const { rows } = useQuery("facets.list", {});
  const valuesOf = (facet: FacetRow["facet"]) =>
    (rows ?? []).filter((row) => row.facet === facet).map((row) => row.value);
  return (
    <div className="row filters">
      <label>
        Agent
        <select value={filters.agent} onChange={(event) => onChange({ ...filters, agent: event.target.value })}>
          <option value="">any</option>
          {valuesOf("agent_id").map((agent) => (
            <option key={agent} value={agent}>
              {labelOf(agent)}
            </option>
          ))}
        </select>
      </label>
      <label>
        Kind
        <select value={filters.kind} onChange={(event) => onChange({ ...filters, kind: event.target.value })}>
          <option value="">any</option>
          {valuesOf("kind").map((kind) => (
            <option key={kind}>{kind}</option>
          ))}
        </select>
      </label>
      <label>
        When
        <select value={filters.days} onChange={(event) => onChange({ ...filters, days: Number(event.target.value) })}>
          {periods.map(([days, label]) => (
            <option key={days} value={days}>
              {label}
            </option>
          ))}
        </select>
      </label>
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
          {valuesOf("cwd").map((folder) => (
            <option key={folder} value={folder} />
          ))}
        </datalist>
      </label>
    </div>
  );
}
