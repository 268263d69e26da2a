// One machine without a host: a register, and the part that ships it to a shared database. For tests.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { type RemoteChange, Sharing } from "@signalbox/many-machines/database";
import { type JsonObject, readUpdate } from "@signalbox/protocol";
import { type Entry, openRegister, openRegisterReader, type Register } from "@signalbox/tinyvex";
import { expect } from "vitest";
import { Positions } from "../../packages/many-machines/src/database/positions.ts";
import type { Postgres } from "./postgres.ts";

interface MachineOptions {
  readonly folder: string;
  readonly url: string;
  readonly machine: string;
  readonly folders?: readonly string[];
  /** With a key it sends and takes commands. */
  readonly key?: string;
  readonly redact?: (text: string) => string;
  /** After these a connection counts as one that hangs. */
  readonly limits?: { readonly connectMs: number; readonly statementMs: number };
  readonly now?: () => number;
  /** Threads that were active before it are not shared. */
  readonly oldest?: number;
  /** Hears what other machines add. */
  readonly onChanges?: (changes: readonly RemoteChange[]) => void;
}

export class SharingMachine implements AsyncDisposable {
  readonly register: Register;
  readonly sharing: Sharing;
  /** What it would print. */
  readonly lines: string[];

  /** Where this machine remembers commands, for a sender that a test makes itself. */
  readonly positions: Positions;

  private constructor(register: Register, sharing: Sharing, lines: string[], positions: Positions) {
    this.positions = positions;
    this.register = register;
    this.sharing = sharing;
    this.lines = lines;
  }

  static async start(options: MachineOptions): Promise<SharingMachine> {
    const { folder, url, machine, folders, redact, key, ...rest } = options;
    const register = await openRegister({ path: join(folder, "signalbox.db") });
    const lines: string[] = [];
    const sharing = new Sharing({
      url,
      machine,
      commands: { control: key === undefined ? "off" : "signed", key },
      program: "test",
      positionsFile: join(folder, "shared.db"),
      log: {
        listPositions: () => register.logPositions(),
        read: (id, seq, length) => register.readLog(id, seq, { max_events: 100, max_length: length }),
        readBlob: async (hash) => (await register.readBlob(hash)).bytes,
        readCompleted: (id, after, upTo) => register.readCompleted(id, after, upTo),
        getThread: (id) => register.getThread(id),
      },
      filter: {
        isShared: ({ cwd, updated_at: at }) =>
          (folders === undefined || folders.includes(cwd)) && at >= (options.oldest ?? 0),
        redact,
      },
      timing: rest,
      remote: { onChanges: options.onChanges ?? (() => {}), onPresence: () => {} },
      onProblem: (line) => lines.push(line),
    });
    register.onChanges((changes) => sharing.noteChanges(changes));
    return new SharingMachine(register, sharing, lines, new Positions(":memory:", machine));
  }

  /** A thread with some of everything: merged text, a tool call that grows, output of a terminal, a long text. */
  async thread(cwd = "/work", words = "hello"): Promise<string> {
    const { id } = await this.register.createThread({ agent_id: "fake", cwd, title: words });
    this.addText(id, words);
    this.addText(id, ` and more of ${words}`);
    const grown = (length: number) => ({
      content: [{ type: "content", content: { type: "text", text: `${words} line\n`.repeat(length) } }],
    });
    this.append(id, {
      sessionUpdate: "tool_call",
      toolCallId: "t",
      title: "A tool",
      kind: "other",
      status: "pending",
      ...grown(200),
    });
    this.append(id, { sessionUpdate: "tool_call_update", toolCallId: "t", ...grown(300) });
    this.register.append(id, fact({ type: "terminal_created", terminal_id: "x", command: "ls", cwd: null }));
    this.register.append(id, fact({ type: "terminal_output", terminal_id: "x", text: `output of ${words}\n` }));
    this.append(id, { sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed", ...grown(20_000) });
    await this.register.settled(id);
    return id;
  }

  addText(threadId: string, text: string): void {
    this.append(threadId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  append(threadId: string, update: JsonObject): void {
    this.register.append(threadId, { type: "update", update: readUpdate({ sessionId: "s", update }) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sharing.stop();
    await this.register.close();
  }
}

function fact(body: Extract<Entry, { type: "fact" }>["fact"]): Entry {
  return { type: "fact", fact: body };
}

/** The log of a data folder, one line an event, as it is to be in the shared database. */
export async function localLog(folder: string, machine: string): Promise<readonly string[]> {
  const register = await openRegisterReader({ path: join(folder, "signalbox.db") });
  const lines: string[] = [];
  for (const { thread_id: id } of await register.logPositions()) {
    const events = await register.readLog(id, 0, { max_events: 100_000, max_length: Number.MAX_SAFE_INTEGER });
    for (const { seq, ts, kind, payload, refs } of events)
      lines.push(toLine([machine, id, seq, ts, kind, payload, refs.length === 0 ? null : JSON.stringify(refs)]));
  }
  await register.close();
  return lines.toSorted();
}

export async function sharedLog(postgres: Postgres, url: string): Promise<readonly string[]> {
  const rows = await postgres.run(url, "SELECT * FROM signalbox.events");
  return rows
    .map((row) =>
      toLine([row.machine, row.thread_id, Number(row.seq), Number(row.ts), row.kind, row.payload, row.refs]),
    )
    .toSorted();
}

/** The shared log becomes the union of the local ones, byte for byte. */
export async function expectShipped(
  postgres: Postgres,
  url: string,
  machines: Readonly<Record<string, string>>,
): Promise<void> {
  const differences = async () => {
    const local = await Promise.all(Object.entries(machines).map(([name, folder]) => localLog(folder, name)));
    const union = new Set(local.flat());
    const shared = new Set(await sharedLog(postgres, url).catch(() => []));
    return [...[...union].filter((line) => !shared.has(line)), ...[...shared].filter((line) => !union.has(line))];
  };
  // Each look is a connection, and reads all logs.
  await expect.poll(differences, { interval: 200 }).toEqual([]);
}

/** Short, so that a difference can be read. */
function toLine([machine, threadId, seq, ...rest]: readonly unknown[]): string {
  const hash = createHash("sha256").update(JSON.stringify(rest)).digest("hex");
  return [machine, threadId, seq, hash].join(" ");
}
