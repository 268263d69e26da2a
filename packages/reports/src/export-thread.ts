// Exports a thread as Markdown, HTML or JSON, with every large text in full. The output is a stream of pieces.
import type { MessageRow, TerminalRow, ThreadRow, TimelineItem } from "@signalbox/protocol";
import { addMissingNotices, type BlobSource, readWholeText, readWholeValue } from "@signalbox/tinyvex";
import { type ReportSource, readAllRows, readThread, type ThreadEntry } from "./thread-entries.ts";
import { writeThreadHtml } from "./thread-html.ts";
import { writeThreadMarkdown } from "./thread-markdown.ts";

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
  if (format === "json") return yield* writeThreadJson(register, thread);
  const { plan, entries } = await readThread(register, thread);
  const blobs = addMissingNotices(register);
  const report = { thread, plan, entries: mapRows(entries, (entry) => completeEntry(blobs, entry)) };
  yield* format === "md" ? writeThreadMarkdown(report) : writeThreadHtml(report);
}

/** One JSON object: `thread, plan, state, turns, permissions, elicitations, terminals, timeline`, one row a line. */
export async function* writeThreadJson(register: ReportSource, thread: ThreadRow): AsyncGenerator<string> {
  const args = { thread_id: thread.id };
  const blobs = addMissingNotices(register);
  const plan = await register.query("plan.get", args);
  const state = await register.query("state.get", args);
  yield `{"thread":${JSON.stringify(thread)}`;
  yield `,\n"plan":${JSON.stringify(plan.rows[0] ?? null)},\n"state":${JSON.stringify(state.rows[0] ?? null)}`;
  yield* writeList("turns", readAllRows(register, "turns.list", args));
  yield* writeList("permissions", readAllRows(register, "permissions.list", args));
  yield* writeList("elicitations", readAllRows(register, "elicitations.list", args));
  const terminals = readAllRows(register, "terminals.list", args);
  yield* writeList(
    "terminals",
    mapRows(terminals, (row) => completeTerminal(blobs, row)),
  );
  const timeline = readAllRows(register, "timeline.list", args);
  yield* writeList(
    "timeline",
    mapRows(timeline, (item) => completeItem(blobs, item)),
  );
  yield "}\n";
}

async function* writeList(name: string, rows: AsyncIterable<unknown>): AsyncGenerator<string> {
  yield `,\n"${name}":[`;
  let separator = "\n";
  for await (const row of rows) {
    yield `${separator}${JSON.stringify(row)}`;
    separator = ",\n";
  }
  yield "]";
}

async function* mapRows<From, To>(rows: AsyncIterable<From>, change: (row: From) => Promise<To>): AsyncGenerator<To> {
  for await (const row of rows) yield await change(row);
}

async function completeEntry(register: BlobSource, entry: ThreadEntry): Promise<ThreadEntry> {
  switch (entry.type) {
    case "message":
    case "tool_call":
      return await completeItem(register, entry);
    case "terminal":
      return await completeTerminal(register, entry);
    case "permission":
    case "elicitation":
    case "turn_end":
      return entry;
  }
}

async function completeItem(register: BlobSource, item: TimelineItem): Promise<TimelineItem> {
  if (item.type === "message") return await completeMessage(register, item);
  return (await readWholeValue(register, item)) as TimelineItem;
}

async function completeTerminal<Row extends TerminalRow>(register: BlobSource, row: Row): Promise<Row> {
  if (row.output_ref === null) return row;
  return { ...row, output: await readWholeText(register, row.output_ref.hash), output_offset: 0 };
}

/** The large texts of a message in full: a row has only their beginning. */
async function completeMessage<Row extends MessageRow>(register: BlobSource, row: Row): Promise<Row> {
  const content = row.content === null ? null : await readWholeValue(register, row.content);
  const whole = { ...row, content: content as Row["content"] };
  if (row.text_ref === null || row.text.length >= row.text_len) return whole;
  const text = await readWholeText(register, row.text_ref.hash);
  return { ...whole, text, text_offset: 0, content: replaceText(whole.content, row.text, text) as Row["content"] };
}

/** Puts the whole text into the block that had its beginning. */
function replaceText(content: MessageRow["content"], shown: string, whole: string): MessageRow["content"] {
  return content?.map((block) => (block.text === shown ? { ...block, text: whole } : block)) ?? null;
}
