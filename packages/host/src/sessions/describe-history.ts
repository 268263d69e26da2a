// Describes a thread for an agent that has no memory of it: what was said and done, by whom, and which files changed. The newest is kept.
import type { ContentBlock, ThreadRow, TimelineItem, TurnRow } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";
import type { AgentRegistry } from "../agents/registry.ts";

interface HistoryPlace {
  readonly register: Pick<Register, "snapshot">;
  readonly place: { readonly threadId: string };
}

const maxTokens = 20_000;
const maxItemCharacters = 8000;
const itemsRead = 500;
const maxFiles = 200;

/** Whether the thread, or the one that it was forked from, may have anything that an agent could be told of. */
export async function hasHistory({ register, place }: HistoryPlace): Promise<boolean> {
  const { timeline, thread } = await register.snapshot(place.threadId, { limit: 1 });
  return timeline.length > 0 || thread.parent_thread_id !== null;
}

interface HistorySource {
  readonly register: Pick<Register, "settled" | "snapshot" | "query" | "getThread">;
  readonly agents: Pick<AgentRegistry, "find">;
  /** The files that the thread changed. */
  readonly listFiles: (threadId: string) => Promise<readonly string[]>;
}

/** The thread before the prompt that is about to run; null when there is nothing. It is not shown as a message of the person. */
export async function describeHistory(
  { register, agents, listFiles }: HistorySource,
  threadId: string,
): Promise<ContentBlock | null> {
  await register.settled(threadId);
  const { timeline: own, thread } = await register.snapshot(threadId, { limit: itemsRead });
  const { rows: turns } = await register.query("turns.list", { thread_id: threadId, limit: itemsRead });
  const files = (await listFiles(threadId)).slice(0, maxFiles);
  const prompt = own.findLastIndex(isPrompt);
  const earlier = await readParentItems(register, thread, maxForks);
  const nameItem = (item: TimelineItem) =>
    item.thread_id === threadId ? nameSpeaker(item, turns, thread.agent_id, agents) : "You";
  // Before its first prompt an agent may have said something: that a server did not start.
  const isFork = earlier.length > 0 && !own.slice(0, Math.max(prompt, 0)).some(isPrompt);
  const head = isFork
    ? "This conversation goes on from an earlier one. What was said and done there, newest last:"
    : turns.some(({ agent_id }) => agent_id !== null && agent_id !== thread.agent_id)
      ? "You take over a conversation that another agent began. What was said and done so far, newest last:"
      : "This conversation began in an earlier session that is gone. What was said and done so far, newest last:";
  const changed = within(
    maxTokens / 4,
    files.map((path) => `- ${path}`),
  ).join("\n");
  const parts = {
    head,
    changed: changed === "" ? "" : `Files that were changed on disk:\n${changed}`,
    tail: "(End of the earlier conversation. The new message follows.)",
  };
  const left = maxTokens - estimateTokens([parts.head, parts.changed, parts.tail].join("\n\n"));
  const told = [...earlier, ...(prompt < 0 ? own : own.slice(0, prompt))].toReversed();
  const lines = within(
    left,
    told.map((item) => describeItem(item, nameItem)).filter((line) => line !== null),
  ).toReversed();
  if (lines.length === 0) return null;
  const text = [parts.head, ...lines, parts.changed, parts.tail].filter((part) => part !== "").join("\n\n");
  return { type: "text", text };
}

function isPrompt(item: TimelineItem): boolean {
  return item.type === "message" && item.role === "user";
}

/** The first lines, as many as have at most so many tokens. */
function within(tokens: number, lines: readonly string[]): readonly string[] {
  const taken: string[] = [];
  let size = 0;
  for (const line of lines) {
    size += estimateTokens(`${line}\n\n`);
    if (size > tokens) break;
    taken.push(line);
  }
  return taken;
}

/** Rather too many than too few: three letters or signs of code are a token, and each character of another writing is one. */
function estimateTokens(text: string): number {
  const others = text.match(/[\u0250-\uffff]/g)?.length ?? 0;
  return others + Math.ceil((text.length - others) / 3);
}

/** Forks of forks of forks: the nearest ones say most. */
const maxForks = 10;

/** What stands in the threads that this one was forked from, up to the fork; nothing of those that are deleted. */
async function readParentItems(
  register: Pick<Register, "query" | "getThread">,
  { parent_thread_id: parentId, fork, created_at: at }: ThreadRow,
  depth: number,
): Promise<readonly TimelineItem[]> {
  const parent = parentId === null || depth === 0 ? null : await register.getThread(parentId);
  if (parent === null) return [];
  const before = fork?.before_seq ?? null;
  const cutoff = before === null ? {} : { before_seq: before };
  const { rows } = await register.query("timeline.list", { thread_id: parent.id, limit: itemsRead, ...cutoff });
  const above = await readParentItems(register, parent, depth - 1);
  return [...above, ...rows.filter(({ created_at }) => before !== null || created_at <= at)];
}

function describeItem(item: TimelineItem, nameItem: (item: TimelineItem) => string): string | null {
  if (item.type === "tool_call") return `[tool call] ${item.title}: ${item.status}`;
  // What a sub-agent said, the agent was told by it.
  if (item.kind === "reason" || item.text === "" || item.parent_tool_call_id !== null) return null;
  const text = item.text.length > maxItemCharacters ? `${item.text.slice(0, maxItemCharacters)} […]` : item.text;
  return `${item.role === "user" ? "User" : nameItem(item)}: ${text}`;
}

/** Who said it: "You" for the agent that is told, the other agent's name for another. */
function nameSpeaker(
  item: TimelineItem,
  turns: readonly TurnRow[],
  agentId: string,
  agents: Pick<AgentRegistry, "find">,
): string {
  const turn = turns.findLast(({ seq }) => seq <= item.seq);
  const speaker = turn?.agent_id ?? agentId;
  return speaker === agentId ? "You" : (agents.find(speaker)?.label ?? speaker);
}
