// Whose work an item is: the calls of a sub-agent stand under the call that started it, however late they come. Where that call is not among
// what is loaded, what it did stands under a head of its own. Nothing is lost and nothing stands twice, whatever an agent claims.
import { isJsonObject, type TimelineItem, type ToolCallRow } from "@signalbox/protocol";

/** What a sub-agent did, as far as it is loaded. */
export interface Work {
  readonly type: "work";
  /** The id of the call that started it. */
  readonly call: string;
  /** What stands directly under that call, in order. */
  readonly items: readonly TimelineItem[];
  /** Every call below, those of its own sub-agents included. */
  readonly calls: readonly ToolCallRow[];
}

export interface Nesting {
  /** From top to bottom: what is nobody's work, and work whose call is not loaded. */
  readonly top: readonly (TimelineItem | Work)[];
  /** The work that stands under an item. */
  workOf(item: TimelineItem): Work | null;
  /** The works in which the item of this place stands, the innermost first. */
  worksAround(seq: number): readonly Work[];
}

interface GrowingWork extends Work {
  readonly items: TimelineItem[];
  readonly calls: ToolCallRow[];
  readonly depth: number;
  /** The work in which its call stands. */
  readonly around: GrowingWork | null;
  /** Its call is not loaded, or came after it: it has a head of its own. */
  readonly isHeadless: boolean;
}

/** Sub-agents of sub-agents go in no deeper than this; from there on they stand beside each other. */
const deepest = 3;

/** Null where nothing is a sub-agent's, as in most threads. */
export function nestingOf(items: readonly TimelineItem[]): Nesting | null {
  if (!items.some((item) => parentOf(item) !== null)) return null;
  const top: (TimelineItem | Work)[] = [];
  const works = new Map<string, GrowingWork>();
  /** The work in which each item stands, by its place; calls also by their id. */
  const homes = new Map<number | string, GrowingWork | null>();
  for (const item of items) {
    const parent = parentOf(item);
    const home = parent === null ? null : workUnder(parent);
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

  function workUnder(call: string): GrowingWork {
    const known = works.get(call);
    if (known !== undefined) return known;
    const around = homes.get(call);
    if (around?.depth === deepest) return around;
    // A work is only ever around one that began later, so there are no circles.
    const isHeadless = around === undefined;
    const depth = (around?.depth ?? 0) + 1;
    const work: GrowingWork = { type: "work", call, items: [], calls: [], depth, around: around ?? null, isHeadless };
    works.set(call, work);
    if (isHeadless) top.push(work);
    return work;
  }
}

/** The call that started the sub-agent whose work this is; null where it is nobody's. */
export function parentOf(item: TimelineItem): string | null {
  if (item.type !== "tool_call" || item.meta === null) return null;
  const { claudeCode } = item.meta;
  if (!isJsonObject(claudeCode)) return null;
  const { parentToolUseId: parent } = claudeCode;
  return typeof parent === "string" && parent !== "" ? parent : null;
}
