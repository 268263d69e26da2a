// Decides which finished calls fold into one line of the timeline, and what that line says. A call that changed a file, failed, runs or waits
// is never folded, and an update of the plan is never a step: the strip above the composer shows the plan.
import {
  duration,
  isJsonObject,
  type Json,
  listShownTerminals,
  type TerminalRow,
  type TimelineItem,
  type ToolCallRow,
  toolCallMs,
} from "@signalbox/protocol";

/** A single call is shown as itself. */
const minCalls = 2;

const changesFiles: ReadonlySet<string> = new Set(["edit", "delete", "move"]);

interface RunSource {
  readonly item: TimelineItem;
  /** The commands that the host ran for the call. */
  readonly commands?: readonly ToolCallRow[] | undefined;
}

/** `isLoud` is true for a call that must stay visible, for example because its command ended with an error. */
export function canFold({ item, commands = [] }: RunSource, isLoud: (call: ToolCallRow) => boolean): boolean {
  if (item.type !== "tool_call") return false;
  return [item, ...commands].every(
    (call) =>
      call.status === "completed" &&
      !changesFiles.has(call.kind) &&
      !call.content.some((part) => part.type === "diff") &&
      !isLoud(call),
  );
}

/** Whether the item may lie between folded calls without being counted: a thought that has ended, or an update of the plan. */
export function isSilent(item: TimelineItem): boolean {
  return item.type === "tool_call" ? isPlanUpdate(item) : item.kind === "reason" && !item.partial;
}

/** A call whose input is a list of steps, each with a status: agents send those to show their plan. */
export function isPlanUpdate(item: TimelineItem): boolean {
  if (item.type !== "tool_call" || changesFiles.has(item.kind) || item.kind === "execute") return false;
  const { raw_input: input } = item;
  if (!isJsonObject(input)) return false;
  return Object.values(input).some((value) => Array.isArray(value) && value.length > 0 && value.every(isPlanStep));
}

function isPlanStep(value: Json): boolean {
  if (!isJsonObject(value)) return false;
  const isNamed = [value.content, value.step, value.title].some((name) => typeof name === "string");
  return isNamed && typeof value.status === "string";
}

/** Whether a command left settings that wait for the person: the host says so at the end of the output. */
export function hasPutAside({ output }: Pick<TerminalRow, "output">): boolean {
  return output.includes("It was put aside");
}

/** Whether a call's terminals include one of these. */
export function hasTerminal({ content }: ToolCallRow, terminals: ReadonlySet<string>): boolean {
  return terminals.size > 0 && listShownTerminals(content).some((id) => terminals.has(id));
}

/**
 * Splits a line of entries into runs and single entries. A run begins and ends with a call that can be folded and has at least two of them;
 * silent entries between them belong to it.
 */
export function groupRuns<Entry>(
  entries: readonly Entry[],
  roleOf: (entry: Entry) => "step" | "silent" | "apart",
): readonly (Entry | { readonly run: readonly Entry[] })[] {
  const grouped: (Entry | { readonly run: readonly Entry[] })[] = [];
  let open: Entry[] = [];
  const close = () => {
    const first = open.findIndex((entry) => roleOf(entry) === "step");
    const last = open.findLastIndex((entry) => roleOf(entry) === "step");
    const run = first < 0 ? [] : open.slice(first, last + 1);
    if (run.filter((entry) => roleOf(entry) === "step").length < minCalls) grouped.push(...open);
    else grouped.push(...open.slice(0, first), { run }, ...open.slice(last + 1));
    open = [];
  };
  for (const entry of entries) {
    if (roleOf(entry) === "apart") {
      close();
      grouped.push(entry);
    } else open.push(entry);
  }
  close();
  return grouped;
}

/** The words of a run, in the order in which its kinds first appeared: "Read 4 files", "searched twice", "3.1 s". */
export function describeRun(all: readonly ToolCallRow[]): readonly string[] {
  const calls = all.filter((call) => !isPlanUpdate({ type: "tool_call", ...call }));
  const kinds = Map.groupBy(calls, ({ kind }) => (kind in phrases ? kind : "other"));
  const parts = [...kinds].map(([kind, ofKind]) => phrases[kind]?.(ofKind) ?? "");
  const ms = calls.reduce((sum, call) => sum + (toolCallMs(call) ?? 0), 0);
  const [first = "", ...rest] = parts;
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest, ...(ms >= 100 ? [duration(ms)] : [])];
}

const phrases: Readonly<Record<string, (calls: readonly ToolCallRow[]) => string>> = {
  read: (calls) => `read ${count(countFiles(calls), "file")}`,
  search: (calls) => `searched ${times(calls.length)}`,
  execute: (calls) => `ran ${count(calls.length, "command")}`,
  fetch: (calls) => `fetched ${count(calls.length, "page")}`,
  think: (calls) => `thought ${times(calls.length)}`,
  switch_mode: (calls) => `changed mode ${times(calls.length)}`,
  other: (calls) => `used ${count(calls.length, "tool")}`,
};

/** A file that is read in three parts is one file; a call that names no file counts as one. */
function countFiles(calls: readonly ToolCallRow[]): number {
  return new Set(calls.map(({ locations, seq }) => locations[0]?.path ?? seq)).size;
}

const count = (number: number, noun: string) => `${number} ${number === 1 ? noun : `${noun}s`}`;
const times = (number: number) => (number === 1 ? "once" : number === 2 ? "twice" : `${number} times`);
