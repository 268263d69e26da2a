// Judges a run from the outside: reads the register by plain SQL, compares it with what the clients were shown, what the agents were given and what the machine
// looks like afterwards. It imports nothing of the product, so that an error there cannot hide itself here.
import { DatabaseSync } from "node:sqlite";

export const columns = [
  "shown, not stored",
  "stored or run twice",
  "out of order",
  "open calls",
  "turns without end",
  "host ended",
  "processes left",
  "files left",
  "memory grown",
  "descriptors grown",
] as const;
type Column = (typeof columns)[number];

/** A sentence for each thing that is wrong. */
export class Findings {
  readonly #sentences = new Map<Column, string[]>(columns.map((column) => [column, []]));

  add(column: Column, sentence: string): void {
    this.#sentences.get(column)?.push(sentence);
  }

  addAll(other: Findings): void {
    for (const column of columns) for (const sentence of other.get(column)) this.add(column, sentence);
  }

  get(column: Column): readonly string[] {
    return this.#sentences.get(column) ?? [];
  }

  get total(): number {
    return columns.reduce((sum, column) => sum + this.get(column).length, 0);
  }
}

type Texts<Name extends string> = { readonly [Key in Name]?: string };
type Numbers<Name extends string> = { readonly [Key in Name]?: number };

/** A row as it travels. Which of the ids it has says what it is. */
type ShownRow = Texts<"status" | "item_id" | "tool_call_id" | "turn_id" | "permission_id" | "terminal_id" | "text"> &
  Numbers<"text_offset" | "text_len"> & {
    readonly thread_id: string;
    readonly last_seq: number;
    readonly partial?: boolean;
  };

/** The parts of a frame that are judged. */
export type Frame = Texts<"id" | "type" | "control" | "request_id" | "stream" | "thread_id" | "turn_id" | "prompt_id"> &
  Texts<"item_id" | "text_delta"> &
  Numbers<"seq" | "text_offset" | "text_len"> & {
    readonly prompt?: readonly { readonly text?: string }[];
    readonly row?: ShownRow;
    readonly newer_only?: boolean;
  } & { readonly [List in "timeline" | "turns" | "permissions" | "terminals"]?: readonly ShownRow[] };

/** What happened on one client, in order. */
export type LogEntry = { readonly connected: true } | { readonly sent: Frame } | { readonly received: Frame };

export interface Evidence {
  /** The file of the register. */
  readonly register: string;
  readonly threads: readonly string[];
  readonly logs: readonly (readonly LogEntry[])[];
  /** The ids of the prompts that agents got, in the order in which they noted them. */
  readonly ran: readonly string[];
}

/** Compares the register with the logs. Everything has to be at rest: a turn that still runs counts as one without end. */
export function judgeRegister({ register, threads, logs, ran }: Evidence): Findings {
  const findings = new Findings();
  const database = new DatabaseSync(register, { readOnly: true });
  try {
    const stored = new StoredThreads(database);
    const prompts = readPrompts(logs);
    for (const log of logs) judgeLog(findings, stored, log);
    for (const thread of threads) judgeThread(findings, database, thread, prompts);
    judgeRuns(findings, database, prompts, ran);
    const check = database.prepare("PRAGMA quick_check").get()?.quick_check;
    if (check !== "ok") findings.add("shown, not stored", `the file of the register is damaged: ${String(check)}`);
  } finally {
    database.close();
  }
  return findings;
}

/** Looks up stored rows, and remembers long texts. */
class StoredThreads {
  readonly #database: DatabaseSync;
  readonly #texts = new Map<string, string | undefined>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  find(table: string, key: string, thread: string, id: string): { last_seq: number; status: string } | undefined {
    const sql = `SELECT last_seq, ${table === "messages" || table === "terminals" ? "'' AS status" : "status"} FROM ${table}`;
    const row = this.#database.prepare(`${sql} WHERE thread_id = ? AND ${key} = ?`).get(thread, id);
    return row === undefined ? undefined : { last_seq: Number(row.last_seq), status: String(row.status) };
  }

  hasThread(id: string): boolean {
    return this.#database.prepare("SELECT 1 FROM threads WHERE id = ?").get(id) !== undefined;
  }

  readText(thread: string, item: string): string | undefined {
    const key = `${thread}/${item}`;
    if (!this.#texts.has(key)) this.#texts.set(key, this.#read(thread, item));
    return this.#texts.get(key);
  }

  #read(thread: string, item: string): string | undefined {
    const sql = "SELECT text, text_hash FROM messages WHERE thread_id = ? AND item_id = ?";
    const row = this.#database.prepare(sql).get(thread, item);
    if (row === undefined || row.text_hash === null) return row?.text?.toString();
    const chunks = this.#database
      .prepare("SELECT c.bytes FROM blob_chunks c JOIN blobs b ON b.id = c.blob_id WHERE b.hash = ? ORDER BY c.offset")
      .all(String(row.text_hash));
    return Buffer.concat(chunks.map(({ bytes }) => bytes as Uint8Array)).toString("utf8");
  }
}

const rowKinds = [
  ["tool_calls", "tool_call_id"],
  ["permissions", "permission_id"],
  ["terminals", "terminal_id"],
  ["turns", "turn_id"],
  ["messages", "item_id"],
] as const;

function judgeLog(findings: Findings, stored: StoredThreads, log: readonly LogEntry[]): void {
  let texts = new ShownTexts();
  for (const entry of log) {
    if ("connected" in entry) texts = new ShownTexts();
    if (!("received" in entry)) continue;
    const frame = entry.received;
    for (const row of [frame.row, ...listRows(frame)]) if (row !== undefined) judgeRow(findings, stored, row);
    const repeated = texts.apply(frame);
    if (repeated !== undefined) findings.add("stored or run twice", repeated);
    const { type, thread_id: thread = "", turn_id: turn = "", item_id: item = "" } = frame;
    const { text_offset: start = 0, text_delta: delta = "" } = frame;
    if (delta !== "" && stored.readText(thread, item)?.slice(start, start + delta.length) !== delta)
      findings.add("shown, not stored", `text of ${item} in ${thread} at ${start}`);
    if (type === "tinyvex.ok" && thread !== "" && !stored.hasThread(thread))
      findings.add("shown, not stored", `thread ${thread}`);
    if (type === "run.submitted" && stored.find("turns", "turn_id", thread, turn) === undefined)
      findings.add("shown, not stored", `turn ${turn} of an accepted prompt`);
  }
  for (const gap of texts.gaps.values()) findings.add("out of order", gap);
}

function listRows({ timeline = [], turns = [], permissions = [], terminals = [] }: Frame): readonly ShownRow[] {
  return [...timeline, ...turns, ...permissions, ...terminals];
}

function judgeRow(findings: Findings, stored: StoredThreads, shown: ShownRow): void {
  const kind = rowKinds.find(([, key]) => shown[key] !== undefined);
  if (kind === undefined) return;
  const [table, key] = kind;
  const id = shown[key] ?? "";
  const row = stored.find(table, key, shown.thread_id, id);
  if (row === undefined || row.last_seq < shown.last_seq)
    findings.add("shown, not stored", `${table} ${id} at ${shown.last_seq}, stored: ${row?.last_seq ?? "none"}`);
  else if (row.last_seq === shown.last_seq && row.status !== "" && row.status !== shown.status)
    findings.add("shown, not stored", `${table} ${id} was ${shown.status}, stored: ${row.status}`);
  if (table !== "messages") return;
  const { text = "", text_offset: start = 0 } = shown;
  if (stored.readText(shown.thread_id, id)?.slice(start, start + text.length) !== text)
    findings.add("shown, not stored", `text of ${id} in ${shown.thread_id}`);
}

/** How much of each message a client has, on one connection. */
export class ShownTexts {
  readonly #lengths = new Map<string, number>();
  /** Messages of which something is missing, until a snapshot brings it. A client that sees this has to ask for one. */
  readonly gaps = new Map<string, string>();

  /** Says what the client was shown again, if it was. */
  apply(frame: Frame): string | undefined {
    const {
      type,
      stream,
      thread_id: thread = "",
      item_id: item = "",
      text_offset: start = 0,
      text_delta: delta,
    } = frame;
    if (type === "tinyvex.snapshot" && stream === "thread") this.#read(`${thread}/`, frame);
    if (stream !== "messages") return undefined;
    const key = `${thread}/${item}`;
    const known = this.#lengths.get(key) ?? 0;
    const next = delta === undefined ? (frame.text_len ?? known) : start;
    if (this.gaps.has(key)) return undefined;
    if (next > known) this.gaps.set(key, `${key} goes on at ${next}, shown: ${known}`);
    else if (delta !== undefined) this.#lengths.set(key, start + delta.length);
    return next < known ? `${key} shown again from ${next} to ${known}` : undefined;
  }

  #read(thread: string, { newer_only: isNewerOnly, timeline = [] }: Frame): void {
    if (isNewerOnly === false) {
      for (const key of this.#lengths.keys()) if (key.startsWith(thread)) this.#lengths.delete(key);
      for (const key of this.gaps.keys()) if (key.startsWith(thread)) this.gaps.delete(key);
    }
    for (const { item_id: item, text = "", text_offset: start = 0, partial, text_len: whole = 0 } of timeline) {
      if (item === undefined) continue;
      this.#lengths.set(thread + item, partial === true ? start + text.length : whole);
      this.gaps.delete(thread + item);
    }
  }
}

interface SentPrompt {
  /** How many numbered words its agent was told to say. */
  readonly words: number;
  accepted: number;
  refused: number;
  sent: number;
}

function readPrompts(logs: readonly (readonly LogEntry[])[]): ReadonlyMap<string, SentPrompt> {
  const prompts = new Map<string, SentPrompt>();
  for (const log of logs) {
    const requests = new Map<string, SentPrompt>();
    for (const entry of log) {
      if ("sent" in entry && entry.sent.control === "run.submit" && entry.sent.prompt_id !== undefined) {
        const { id = "", prompt_id: promptId, prompt = [] } = entry.sent;
        const words = numberedWords(prompt.map(({ text }) => text).join(""), promptId).length;
        const known = prompts.get(promptId) ?? { words, accepted: 0, refused: 0, sent: 0 };
        known.sent++;
        prompts.set(promptId, known);
        requests.set(id, known);
      } else if ("received" in entry) {
        const asked = requests.get(entry.received.request_id ?? "");
        if (asked !== undefined && entry.received.type === "tinyvex.error") asked.refused++;
        else if (asked !== undefined) asked.accepted++;
      }
    }
  }
  return prompts;
}

/** The numbers of the words `PROMPT.NUMBER` in a text. */
function numberedWords(text: string, promptId: string): readonly number[] {
  return [...text.matchAll(new RegExp(`\\b${promptId}\\.(\\d+) `, "g"))].map(([, number]) => Number(number));
}

const openThings = [
  ["tool call", "SELECT tool_call_id AS id FROM tool_calls WHERE ended_at IS NULL AND thread_id = ?"],
  ["question", "SELECT permission_id AS id FROM permissions WHERE status = 'pending' AND thread_id = ?"],
  ["form", "SELECT elicitation_id AS id FROM elicitations WHERE status = 'pending' AND thread_id = ?"],
  ["terminal", "SELECT terminal_id AS id FROM terminals WHERE ended_at IS NULL AND thread_id = ?"],
  ["message", "SELECT item_id AS id FROM messages WHERE partial = 1 AND thread_id = ?"],
] as const;

function judgeThread(
  findings: Findings,
  database: DatabaseSync,
  thread: string,
  prompts: ReadonlyMap<string, SentPrompt>,
): void {
  for (const [kind, sql] of openThings)
    for (const { id } of database.prepare(sql).all(thread)) findings.add("open calls", `${kind} ${String(id)} is open`);
  const events = "SELECT min(seq) AS first, max(seq) AS last, count(*) AS count FROM acp_events WHERE thread_id = ?";
  const found = database.prepare(events).get(thread);
  if (found?.first !== 1 || found.last !== found.count)
    findings.add("out of order", `events of ${thread}: ${JSON.stringify(found)}`);
  const said = readSaid(database, thread);
  const rows = database
    .prepare(
      "SELECT text, text_hash FROM messages WHERE thread_id = ? AND role = 'assistant' AND kind = 'message' ORDER BY seq",
    )
    .all(thread);
  const isShort = rows.every(({ text_hash: hash }) => hash === null);
  if (isShort && rows.map(({ text }) => text).join("") !== said)
    findings.add("out of order", `the messages of ${thread} are not what its log says`);
  const turns = database.prepare("SELECT * FROM turns WHERE thread_id = ? AND restored_to IS NULL").all(thread);
  for (const { turn_id: id, prompt_id: promptId, status, stop_reason: reason, error, ended_at: end } of turns) {
    const hasReason = status === "ended" ? reason !== null : error !== null || status === "interrupted";
    if (end === null || !hasReason) findings.add("turns without end", `turn ${String(id)} is ${String(status)}`);
    const prompt = prompts.get(String(promptId));
    const isWhole = status === "ended" && reason === "end_turn";
    if (prompt !== undefined) judgeWords(findings, String(promptId), said, isWhole ? prompt.words : undefined);
  }
}

/** All text that the agent said in a thread, from the log. */
function readSaid(database: DatabaseSync, thread: string): string {
  const sql = "SELECT payload FROM acp_events WHERE thread_id = ? AND kind = 'agent_message_chunk' ORDER BY seq";
  const texts = database.prepare(sql).all(thread);
  return texts
    .map(
      ({ payload }) => (JSON.parse(String(payload)) as { update: { content: { text?: unknown } } }).update.content.text,
    )
    .map((text) => (typeof text === "string" ? text : ""))
    .join("");
}

/** An agent counts its words from 0. They may stop at any word, unless the turn ended well. */
function judgeWords(findings: Findings, promptId: string, said: string, expected: number | undefined): void {
  const numbers = numberedWords(said, promptId);
  for (const [index, number] of numbers.entries()) {
    const before = numbers[index - 1] ?? -1;
    const is = `prompt ${promptId}: word ${number} after ${before}`;
    if (number > before + 1) findings.add("shown, not stored", `${is}: what the agent said between them is lost`);
    else if (numbers.indexOf(number) < index) findings.add("stored or run twice", is);
    else if (number < before) findings.add("out of order", is);
  }
  if (expected !== undefined && numbers.length < expected)
    findings.add("shown, not stored", `prompt ${promptId}: ${numbers.length} of ${expected} words`);
}

function judgeRuns(
  findings: Findings,
  database: DatabaseSync,
  prompts: ReadonlyMap<string, SentPrompt>,
  ran: readonly string[],
): void {
  const turns = database.prepare("SELECT count(*) AS count FROM turns WHERE prompt_id = ?");
  for (const [promptId, { accepted, refused, sent }] of prompts) {
    const count = Number(turns.get(promptId)?.count);
    if (count > 1) findings.add("stored or run twice", `prompt ${promptId} has ${count} turns`);
    const runs = ran.filter((id) => id === promptId).length;
    if (runs > 1) findings.add("stored or run twice", `prompt ${promptId} ran ${runs} times`);
    // Whoever is refused sends it again: then it would run twice. Without an answer nothing is known.
    if (runs > 0 && accepted === 0 && refused === sent)
      findings.add("stored or run twice", `prompt ${promptId} ran although it was refused`);
  }
}

/** What a host uses when nothing runs. */
export interface Usage {
  /** Memory that JavaScript still refers to: its heap and the buffers outside of it. */
  readonly retainedMegabytes: number;
  /** Memory that the system gave the process. The allocator of the C library keeps much of what was freed. */
  readonly residentMegabytes: number;
  readonly descriptors: number;
}

export interface Remains {
  /** Why each host ended that nobody ended. */
  readonly hostEnds: readonly string[];
  readonly processes: readonly string[];
  readonly files: readonly string[];
  /** Of the same host: when it was first at rest, and now. */
  readonly first: Usage;
  readonly now: Usage;
}

/** More than this is growth. Less comes and goes with the garbage collector, and with readers and workers that start on demand. */
const retainedLimit = 16;
/** The allocator keeps what the largest outputs needed; a leak outside JavaScript passes this in a longer run. */
const residentLimit = 192;
const descriptorLimit = 8;

export function judgeRemains({ hostEnds, processes, files, first, now }: Remains): Findings {
  const findings = new Findings();
  for (const end of hostEnds) findings.add("host ended", end);
  for (const process of processes) findings.add("processes left", process);
  for (const file of files) findings.add("files left", file);
  const compare = (kind: "retained" | "resident", limit: number) => {
    const [before, after] = [first[`${kind}Megabytes`], now[`${kind}Megabytes`]];
    if (after > before + limit) findings.add("memory grown", `${kind}: from ${before} to ${after} MB`);
  };
  compare("retained", retainedLimit);
  compare("resident", residentLimit);
  if (now.descriptors > first.descriptors + descriptorLimit)
    findings.add("descriptors grown", `from ${first.descriptors} to ${now.descriptors}`);
  return findings;
}
