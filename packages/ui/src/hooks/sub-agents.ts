// Groups what sub-agents do and say under the call that started them, however late it comes. Where that call is not loaded, the group has a
// head of its own. Every item appears exactly once, whatever an agent sends.
import type { TimelineItem, ToolCallRow } from "@signalbox/protocol";

/** The loaded calls of a sub-agent. */
export interface Work {
  readonly type: "work";
  /** The id of the call that started it. */
  readonly call: string;
  /** The items directly under that call, in order. */
  readonly items: readonly TimelineItem[];
  /** Every call below it, including those of its own sub-agents. */
  readonly calls: readonly ToolCallRow[];
}

export interface Nesting {
  /** From top to bottom: items of no sub-agent, and work whose call is not loaded. */
  readonly top: readonly (TimelineItem | Work)[];
  /** The work under an item. */
  workOf(item: TimelineItem): Work | null;
  /** The works that contain the item with this seq, the innermost first. */
  worksAround(seq: number): readonly Work[];
}

interface GrowingWork extends Work {
  readonly items: TimelineItem[];
  readonly calls: ToolCallRow[];
  readonly depth: number;
  /** The work that contains its call. */
  readonly around: GrowingWork | null;
  /** Its call is not loaded, or came later, so it has a head of its own. */
  readonly isHeadless: boolean;
}

/** Deeper sub-agents are shown on this level. */
const maxDepth = 3;

/** Rows of a machine with an earlier version have no such column. */
function readParentCall(item: TimelineItem): string | null {
  return item.parent_tool_call_id ?? null;
}

/** Null where there are no sub-agents, as in most threads. */
export function buildNesting(items: readonly TimelineItem[]): Nesting | null {
  if (!items.some((item) => readParentCall(item) !== null)) return null;
  const top: (TimelineItem | Work)[] = [];
  const works = new Map<string, GrowingWork>();
  /** The work that contains each item, by seq; for calls also by id. */
  const homes = new Map<number | string, GrowingWork | null>();
  for (const item of items) {
    const parent = readParentCall(item);
    const home = parent === null ? null : getNestedWork(parent);
    homes.set(item.seq, home);
    if (item.type === "tool_call") homes.set(item.tool_call_id, home);
    if (home === null) top.push(item);
    else home.items.push(item);
    if (item.type !== "tool_call") continue;
    for (let work = home; work !== null; work = work.around) work.calls.push(item);
  }
  return {
    top,
    workOf: (item) => {
      const work = item.type === "tool_call" ? works.get(item.tool_call_id) : undefined;
      return work === undefined || work.isHeadless ? null : work;
    },
    worksAround: (seq) => {
      const around: Work[] = [];
      for (let work = homes.get(seq) ?? null; work !== null; work = work.around) around.push(work);
      return around;
    },
  };

  function getNestedWork(call: string): GrowingWork {
    const known = works.get(call);
    if (known !== undefined) return known;
    const around = homes.get(call);
    if (around?.depth === maxDepth) return around;
    // A work only contains later ones, so there are no cycles.
    const isHeadless = around === undefined;
    const depth = (around?.depth ?? 0) + 1;
    const work: GrowingWork = { type: "work", call, items: [], calls: [], depth, around: around ?? null, isHeadless };
    works.set(call, work);
    if (isHeadless) top.push(work);
    return work;
  }
}
