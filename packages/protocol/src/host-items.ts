// Items that the host itself puts on a timeline, such as a command that it runs for an agent. They are rows of tool calls. If a call of the agent shows
// the item's terminal, both are one thing for a reader: the item is then nested in that call.
import type { ToolCallContent } from "./acp.ts";
import type { TimelineItem } from "./rows.ts";
import type { ToolCallRow } from "./tables.ts";

/** The id of every item that the host makes begins with this. */
export const hostItemPrefix = "signalbox-";

/** The tool name of a command that the host runs. */
export const hostItemName = "signalbox";

export function isHostItem({ tool_call_id }: Pick<ToolCallRow, "tool_call_id">): boolean {
  return tool_call_id.startsWith(hostItemPrefix);
}

/** The ids of the terminals that a call shows. */
export function listShownTerminals(content: readonly ToolCallContent[]): readonly string[] {
  return content.flatMap((part) =>
    part.type === "terminal" && typeof part.terminalId === "string" ? [part.terminalId] : [],
  );
}

export interface NestedItems {
  /** Everything that stands on its own. */
  readonly items: readonly TimelineItem[];
  /** The host's items that are drawn inside a call of the agent, by the id of that call. */
  readonly within: ReadonlyMap<string, readonly ToolCallRow[]>;
}

const noneWithin: NestedItems["within"] = new Map();

/** Nests each item of the host in the first call of the agent that shows its terminal. Gives the same list where nothing is nested. */
export function nestHostItems(items: readonly TimelineItem[]): NestedItems {
  const shownBy = new Map<string, string>();
  for (const item of items) {
    if (item.type !== "tool_call" || isHostItem(item)) continue;
    for (const id of listShownTerminals(item.content)) if (!shownBy.has(id)) shownBy.set(id, item.tool_call_id);
  }
  if (shownBy.size === 0) return { items, within: noneWithin };
  const within = new Map<string, ToolCallRow[]>();
  const alone = items.filter((item) => {
    const call = item.type === "tool_call" && isHostItem(item) ? findShowingCall(item, shownBy) : undefined;
    if (call === undefined || item.type !== "tool_call") return true;
    const { type: _, ...row } = item;
    within.set(call, [...(within.get(call) ?? []), row]);
    return false;
  });
  return within.size === 0 ? { items, within: noneWithin } : { items: alone, within };
}

function findShowingCall({ content }: ToolCallRow, shownBy: ReadonlyMap<string, string>): string | undefined {
  const [terminalId] = listShownTerminals(content);
  return terminalId === undefined ? undefined : shownBy.get(terminalId);
}
