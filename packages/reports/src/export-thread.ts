// Exports a thread as Markdown, HTML or JSON, with every large text in full. The output is a stream of pieces.
import type { MessageRow, TerminalRow, ThreadRow, TimelineItem } from "@signalbox/protocol";
import { type Blobs, wholeText, wholeValue, withNotices } from "@signalbox/tinyvex";
import { allRows, type ReportSource, readThread, type ThreadEntry } from "./thread-entries.ts";
import { threadHtml } from "./thread-html.ts";
import { threadMarkdown } from "./thread-markdown.ts";

export const exportFormats = ["md", "json", "html"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const exportMediaTypes: Readonly<Record<ExportFormat, string>> = {
  md: "text/markdown; charset=utf-8",
  json: "application/json; charset=utf-8",
  html: "text/html; charset=utf-8",
};

export async function* exportThread(
  register: ReportSource,
  thread: ThreadRow,
  format: ExportFormat,
): AsyncGenerator<string> {
  if (format === "json") return yield* threadJson(register, thread);
  const { plan, entries } = await readThread(register, thread);
  const blobs = withNotices(register);
  const report = { thread, plan, entries: map(entries, (entry) => wholeEntry(blobs, entry)) };
  yield* format === "md" ? threadMarkdown(report) : threadHtml(report);
}

/** One JSON object: `thread, plan, state, turns, permissions, elicitations, terminals, timeline`, one row a line. */
export async function* threadJson(register: ReportSource, thread: ThreadRow): AsyncGenerator<string> {
  const args = { thread_id: thread.id };
  const blobs = withNotices(register);
  const plan = await register.query("plan.get", args);
  const state = await register.query("state.get", args);
  yield `{"thread":${JSON.stringify(thread)}`;
  yield `,\n"plan":${JSON.stringify(plan.rows[0] ?? null)},\n"state":${JSON.stringify(state.rows[0] ?? null)}`;
  yield* list("turns", allRows(register, "turns.list", args));
  yield* list("permissions", allRows(register, "permissions.list", args));
  yield* list("elicitations", allRows(register, "elicitations.list", args));
  const terminals = allRows(register, "terminals.list", args);
  yield* list(
    "terminals",
    map(terminals, (row) => wholeTerminal(blobs, row)),
  );
  const timeline = allRows(register, "timeline.list", args);
  yield* list(
    "timeline",
    map(timeline, (item) => wholeItem(blobs, item)),
  );
  yield "}\n";
}

async function* list(name: string, rows: AsyncIterable<unknown>): AsyncGenerator<string> {
  yield `,\n"${name}":[`;
  let separator = "\n";
  for await (const row of rows) {
    yield `${separator}${JSON.stringify(row)}`;
    separator = ",\n";
  }
  yield "]";
}

async function* map<From, To>(rows: AsyncIterable<From>, change: (row: From) => Promise<To>): AsyncGenerator<To> {
  for await (const row of rows) yield await change(row);
}

async function wholeEntry(register: Blobs, entry: ThreadEntry): Promise<ThreadEntry> {
  switch (entry.type) {
    case "message":
    case "tool_call":
      return await wholeItem(register, entry);
    case "terminal":
      return await wholeTerminal(register, entry);
    case "permission":
    case "elicitation":
    case "turn_end":
      return entry;
  }
}

async function wholeItem(register: Blobs, item: TimelineItem): Promise<TimelineItem> {
  if (item.type === "message") return await wholeMessage(register, item);
  return (await wholeValue(register, item)) as TimelineItem;
}

async function wholeTerminal<Row extends TerminalRow>(register: Blobs, row: Row): Promise<Row> {
  if (row.output_ref === null) return row;
  return { ...row, output: await wholeText(register, row.output_ref.hash), output_offset: 0 };
}

/** The large texts of a message in full: a row has only their beginning. */
async function wholeMessage<Row extends MessageRow>(register: Blobs, row: Row): Promise<Row> {
  const content = row.content === null ? null : await wholeValue(register, row.content);
  const whole = { ...row, content: content as Row["content"] };
  if (row.text_ref === null || row.text.length >= row.text_len) return whole;
  const text = await wholeText(register, row.text_ref.hash);
  return { ...whole, text, text_offset: 0, content: withText(whole.content, row.text, text) as Row["content"] };
}

/** Puts the whole text into the block that had its beginning. */
function withText(content: MessageRow["content"], shown: string, whole: string): MessageRow["content"] {
  return content?.map((block) => (block.text === shown ? { ...block, text: whole } : block)) ?? null;
}
