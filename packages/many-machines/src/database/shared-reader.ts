// Reads the threads of other machines from the shared database, over a connection that is made when it is needed and closed when it is not.
import { createHash } from "node:crypto";
import type { BlobRef, FacetRow, PortableEvent, SearchHitRow, StatsRow, ThreadSummaryRow } from "@signalbox/protocol";
import {
  facetColumns,
  isJsonObject,
  type Json,
  makeSnippet,
  parseTerms,
  pathStatsColumns,
  type QueryArgs,
  rowReader,
  searchHitColumns,
  sentRowReader,
  statsScope,
  threadColumns,
  toolCallStatsColumns,
  turnStatsColumns,
  uncountedByPath,
  withOpenEnd,
} from "@signalbox/protocol";
import type { SharedAddress } from "./address.ts";
import { connect, type SharedConnection } from "./connection.ts";
import { type Row, readBoolean, readBytes, readInteger, readText, readTextOrNull } from "./fields.ts";
import * as queries from "./reading-queries.ts";

/** A connection that was not used for this time is closed: a database has few. */
const idleMs = 60_000;

/** Long texts are blobs, so events are small. */
const maxEventBytes = 64 * 1024 * 1024;
const defaultMaxBlobBytes = 512 * 1024 * 1024;

/** A shorter prefix would match too many words. */
const minPrefixLength = 3;

const readHit = rowReader(searchHitColumns);
const readToolCalls = rowReader(toolCallStatsColumns);
const readTurns = rowReader(turnStatsColumns);
const readPath = rowReader(pathStatsColumns);
const readFacet = rowReader(facetColumns);

/** A machine, whether it is online, and whether it accepts commands. */
export interface MachinePresence {
  readonly machine: string;
  readonly online: boolean;
  readonly control: "off" | "signed";
}

/** A thread of another machine, and the position of its log in the shared database. */
export interface RemoteThread {
  readonly machine: string;
  readonly generation: number;
  readonly seq: number;
  readonly row: ThreadSummaryRow;
}

export class SharedReader {
  readonly #address: SharedAddress;
  readonly #machine: string;
  readonly #maxBlobBytes: number;
  #connection: Promise<SharedConnection> | null = null;
  #idle: NodeJS.Timeout | undefined;

  constructor(address: SharedAddress, machine: string, maxBlobBytes = defaultMaxBlobBytes) {
    this.#address = address;
    this.#machine = machine;
    this.#maxBlobBytes = maxBlobBytes;
  }

  /** All machines that share this database, by name. */
  async listMachines(): Promise<readonly MachinePresence[]> {
    const rows = await this.query(
      "SELECT machine, online_until > now() AS online, control FROM signalbox.machines ORDER BY machine",
      [],
    );
    return rows.map((row) => ({
      machine: readText(row, "machine"),
      online: readBoolean(row, "online"),
      control: readText(row, "control") === "signed" ? "signed" : "off",
    }));
  }

  /** Threads of other machines, the most recently active first, after a place in that order. */
  async listThreads(
    args: QueryArgs<"threads.list">,
    after: readonly [number, string],
    limit: number,
  ): Promise<readonly RemoteThread[]> {
    const words = (args.text ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const rows = await this.query(queries.threadsSql, [
      this.#machine,
      args.archived === true,
      ...after,
      args.agent_id ?? null,
      args.cwd ?? null,
      args.status ?? null,
      words.map((word) => `%${word.replaceAll(/[\\%_]/g, "\\$&")}%`),
      limit,
    ]);
    return rows.flatMap(toRemoteThread);
  }

  /** By their ids, whether listed or archived. */
  async find(threadIds: readonly string[]): Promise<readonly RemoteThread[]> {
    return (await this.query(queries.findSql, [this.#machine, threadIds])).flatMap(toRemoteThread);
  }

  /** The next events of a thread, with their blobs. */
  async readEvents(machine: string, threadId: string, after: number, limit: number): Promise<readonly PortableEvent[]> {
    const rows = await this.query(queries.eventsSql, [machine, threadId, after, limit, maxEventBytes]);
    if (rows.length === 0 && (await this.query(queries.hasEventsSql, [machine, threadId, after])).length > 0)
      throw new Error(`an event of ${machine} after ${after} has more than ${maxEventBytes >> 20} MB, and is not read`);
    const events: PortableEvent[] = [];
    for (const row of rows) {
      const refs = toRefs(readTextOrNull(row, "refs"));
      const payload = readText(row, "payload");
      const blobs = [];
      for (const ref of readBlobRefs(payload, refs)) {
        const found = await this.#readMachineBlob(machine, ref.hash);
        if (found === null)
          throw new Error(
            `the shared database has other bytes for ${ref.hash} than ${machine} stored, or more than ${this.#maxBlobBytes >> 20} MB`,
          );
        blobs.push({ ...ref, bytes: found });
      }
      events.push({
        seq: readInteger(row, "seq"),
        ts: readInteger(row, "ts"),
        kind: readText(row, "kind"),
        payload,
        refs,
        blobs,
      });
    }
    return events;
  }

  /** A blob of any machine; null when there is none. */
  async readBlob(hash: string): Promise<Buffer | null> {
    const rows = await this.query("SELECT DISTINCT machine FROM signalbox.blob_uses WHERE hash = $1 LIMIT 20", [hash]);
    for (const row of rows) {
      const found = await this.#readMachineBlob(readText(row, "machine"), hash);
      if (found !== null) return found;
    }
    return null;
  }

  /** Searches for the words, and for words that begin with the last one. */
  async search(
    args: QueryArgs<"search">,
    before: number,
    limit: number,
  ): Promise<readonly (SearchHitRow & { readonly machine: string })[]> {
    const typed = parseTerms(args.text);
    const terms = withOpenEnd(typed, minPrefixLength) ?? typed;
    const words = queries.makeTsQuery(terms);
    if (words === "") return [];
    const { thread_id, agent_id, kind, status, cwd, since, until } = args;
    const filters = [thread_id, agent_id, kind, status, cwd].map((value) => value ?? null);
    const span = [since ?? 0, Math.min(until ?? Number.MAX_SAFE_INTEGER, before)];
    const values = [this.#machine, words, ...filters, ...span, limit];
    const rows = await this.query(queries.searchSql, values);
    return rows.map((row) => ({
      ...readHit(row),
      snippet: makeSnippet(readText(row, "found"), terms),
      machine: readText(row, "machine"),
    }));
  }

  /** Counts as the register does, separately for each other machine. */
  async countStats(args: QueryArgs<"stats">, now: number, limit: number): Promise<readonly StatsRow[]> {
    const scope = statsScope(args, now);
    if (scope === null) return [];
    const { groups, offsetMs, since, until, agentId } = scope;
    if (scope.isByPath) {
      const paths = await this.query(queries.pathStatsSql, [this.#machine, since, until, agentId, limit]);
      return paths.map((row) => ({ ...uncountedByPath, machine: readText(row, "machine"), ...readPath(row) }));
    }
    const values = [this.#machine, offsetMs, since, until, agentId];
    const calls = await this.query(queries.makeToolCallStatsSql(groups), values);
    const turns = await this.query(queries.makeTurnStatsSql(groups), values);
    return [
      ...calls.map((row) => ({
        stat: "tool_calls" as const,
        machine: readText(row, "machine"),
        ...readToolCalls(row),
      })),
      ...turns.map((row) => ({ stat: "turns" as const, machine: readText(row, "machine"), ...readTurns(row) })),
    ];
  }

  /** Lists the values by which the threads and items of other machines can be filtered. */
  async listFacets(): Promise<readonly FacetRow[]> {
    const countFacet = async (facet: "agent_id" | "cwd") =>
      (await this.query(queries.makeFacetSql(facet), [this.#machine])).map((row) => ({ facet, ...readFacet(row) }));
    const kinds = (await this.query(queries.kindsSql, [])).map((row) => readText(row, "value"));
    return [
      ...(await countFacet("agent_id")),
      ...(await countFacet("cwd")),
      ...kinds.map((value) => ({ facet: "kind" as const, value, threads: null, archived: null })),
    ];
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const open = this.#connection;
    this.#connection = null;
    await (await open?.catch(() => null))?.close();
  }

  /** Returns null if there are too many bytes, or if they do not match the hash: anyone who may write to the database could store others. */
  async #readMachineBlob(machine: string, hash: string): Promise<Buffer | null> {
    const rows = await this.query(queries.blobSql, [machine, hash, this.#maxBlobBytes]);
    const content = Buffer.concat(rows.map((row) => readBytes(row, "bytes")));
    return createHash("sha256").update(content).digest("hex") === hash ? content : null;
  }

  /** One statement, on the connection for everything but shipping. */
  async query(sql: string, values: readonly unknown[]): Promise<readonly Row[]> {
    clearTimeout(this.#idle);
    this.#connection ??= this.#connect();
    const connection = await this.#connection;
    try {
      return await connection.query(sql, values);
    } finally {
      clearTimeout(this.#idle);
      this.#idle = setTimeout(() => void this.close(), idleMs).unref();
    }
  }

  async #connect(): Promise<SharedConnection> {
    try {
      const connection = await connect(this.#address, `signalbox ${this.#machine} reads`, new AbortController().signal);
      connection.onLost(() => (this.#connection = null));
      return connection;
    } catch (error) {
      this.#connection = null;
      throw error;
    }
  }
}

const readThread = sentRowReader(threadColumns);

/** Returns an empty list for a malformed row, so that one faulty machine does not hide the others. */
function toRemoteThread(found: Row): readonly RemoteThread[] {
  const machine = readText(found, "machine");
  const seq = readInteger(found, "last_seq");
  try {
    const stored: Json = JSON.parse(readText(found, "thread_row"));
    if (!isJsonObject(stored)) return [];
    const { message_count, tool_call_count } = stored;
    const thread = {
      ...readThread({
        ...stored,
        id: readText(found, "thread_id"),
        agent_id: readText(found, "agent_id"),
        cwd: readText(found, "cwd"),
        title: readTextOrNull(found, "title"),
        status: readText(found, "status"),
        archived: readBoolean(found, "archived"),
        updated_at: readInteger(found, "updated_at"),
        last_seq: seq,
      }),
      message_count: typeof message_count === "number" ? message_count : 0,
      tool_call_count: typeof tool_call_count === "number" ? tool_call_count : 0,
    };
    const row = { ...thread, machine, machine_online: readBoolean(found, "online") };
    return [{ machine, generation: readInteger(found, "generation"), seq, row }];
  } catch {
    return [];
  }
}

function toRefs(stored: string | null): readonly string[] {
  const refs: unknown = JSON.parse(stored ?? "[]");
  return Array.isArray(refs) ? refs.filter((ref) => typeof ref === "string") : [];
}

/** The blobs that a payload names at its references, in their order. */
function readBlobRefs(payload: string, refs: readonly string[]): readonly BlobRef[] {
  if (refs.length === 0) return [];
  const value: Json = JSON.parse(payload);
  return refs.map((ref) => {
    const found = ref.split("/").slice(1).reduce<Json | undefined>(getChild, value);
    if (!isJsonObject(found) || typeof found.$blob !== "string" || typeof found.size !== "number")
      throw new Error("an event of the shared log names no blob where it should");
    return { hash: found.$blob, size: found.size };
  });
}

function getChild(parent: Json | undefined, step: string): Json | undefined {
  const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
  if (Array.isArray(parent)) return parent[Number(key)];
  return isJsonObject(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined;
}
