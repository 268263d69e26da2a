// Items that the host itself puts on a timeline, such as a command that it runs for an agent. They are rows of tool calls. If a call of the agent shows
// the item's terminal, or is the last call before it and is about the same, both are one thing for a reader: the item is then nested in that call.
import type { ToolCallContent } from "./acp.ts";
import { isJsonObject } from "./json.ts";
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

/**
 * Nests each item of the host in the first call of the agent that shows its terminal, or in the last call before it if that call names the same
 * command or the same file. Returns the same list if nothing is nested.
 */
export function nestHostItems(items: readonly TimelineItem[]): NestedItems {
  const shownBy = new Map<string, string>();
  for (const item of items) {
    if (item.type !== "tool_call" || isHostItem(item)) continue;
    for (const id of listShownTerminals(item.content)) if (!shownBy.has(id)) shownBy.set(id, item.tool_call_id);
  }
  const within = new Map<string, ToolCallRow[]>();
  const alone: TimelineItem[] = [];
  let lastCall: ToolCallRow | undefined;
  for (const item of items) {
    const outer = item.type === "tool_call" && isHostItem(item) ? findOuterCall(item, shownBy, lastCall) : undefined;
    if (outer === undefined || item.type !== "tool_call") {
      alone.push(item);
      if (item.type === "tool_call") lastCall = item;
      continue;
    }
    const { type: _, ...row } = item;
    within.set(outer, [...(within.get(outer) ?? []), row]);
  }
  return within.size === 0 ? { items, within: noneWithin } : { items: alone, within };
}

function findOuterCall(
  item: ToolCallRow,
  shownBy: ReadonlyMap<string, string>,
  before: ToolCallRow | undefined,
): string | undefined {
  const [terminalId] = listShownTerminals(item.content);
  const showing = terminalId === undefined ? undefined : shownBy.get(terminalId);
  if (showing !== undefined) return showing;
  return before !== undefined && !isHostItem(before) && isAboutTheSame(before, item) ? before.tool_call_id : undefined;
}

/** The title of a command's item is the command as the host ran it, without the shell that an agent wraps around it. */
function isAboutTheSame(call: ToolCallRow, item: ToolCallRow): boolean {
  if (call.kind !== item.kind) return false;
  if (item.kind === "execute") return item.title === call.title || item.title === `\`${readCommandText(call)}\``;
  const [place] = item.locations;
  return place !== undefined && call.locations.some(({ path }) => path === place.path);
}

function readCommandText({ raw_input }: ToolCallRow): string | undefined {
  return isJsonObject(raw_input) && typeof raw_input.command === "string" ? raw_input.command.trim() : undefined;
}
