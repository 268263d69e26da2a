// Adds up the facets of this machine and of the others.
import type { FacetRow } from "@signalbox/protocol";

const order = ["agent_id", "cwd", "kind"];

export function mergeFacets(own: readonly FacetRow[], others: readonly FacetRow[]): readonly FacetRow[] {
  const merged = Map.groupBy([...own, ...others], ({ facet, value }) => JSON.stringify([facet, value]));
  const rows = [...merged.values()].flatMap(([first, second]) =>
    first === undefined ? [] : [second === undefined ? first : addFacets(first, second)],
  );
  return rows.toSorted((a, b) => rankFacet(a) - rankFacet(b) || (a.value < b.value ? -1 : 1));
}

function rankFacet({ facet }: FacetRow): number {
  return order.indexOf(facet);
}

/** Kinds have no count. */
function addFacets(one: FacetRow, other: FacetRow): FacetRow {
  const { threads, archived } = other;
  return one.threads === null || one.archived === null
    ? one
    : { ...one, threads: one.threads + (threads ?? 0), archived: one.archived + (archived ?? 0) };
}
