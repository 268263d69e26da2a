// Passes signed commands between machines through the shared database. The machine that a command is for runs it once, if the signature fits and
// it is not old; the sender waits for the answer.

import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { SerialQueue } from "@signalbox/base";
import { messageOf } from "@signalbox/protocol";
import { type Row, readBytes, readInteger, readText, readTextOrNull } from "./fields.ts";
import type { Positions } from "./positions.ts";
import { type Command, isSame, minKeyLength, signAnswer, signCommand } from "./signature.ts";

/** An older command is never run. */
const expiryMs = 5 * 60 * 1000;
/** A clock may be ahead by this much. */
const maxAheadMs = 60 * 1000;
/** The sender waits this long, and then reports that there was no answer. */
const defaultAnswerMs = 9000;
const pollMs = 250;

type Query = (sql: string, values: readonly unknown[]) => Promise<readonly Row[]>;

/** How a command ended for its sender: what the other machine answered, or why there is no answer. */
type CommandResult =
  | { readonly type: "answered"; readonly answer: string }
  | { readonly type: "unauthorized" | "unavailable"; readonly reason: string };

interface CommandsOptions {
  readonly machine: string;
  /** Undefined where commands are off: none is sent and none is run. */
  readonly key: string | undefined;
  readonly positions: Positions;
  readonly query: Query;
  readonly now?: () => number;
  /** How long the sender waits. */
  readonly answerMs?: number;
}

export const pendingSql =
  "SELECT * FROM signalbox.commands WHERE machine = $1 AND taken_at IS NULL ORDER BY created_at LIMIT 100";

export class Commands {
  readonly #options: CommandsOptions;
  #run: ((command: Command) => Promise<string>) | null = null;
  readonly #receiving = new SerialQueue();

  constructor(options: CommandsOptions) {
    this.#options = options;
  }

  /** Runs commands for this machine from now on; `run` returns the answer as JSON. */
  startReceiving(run: (command: Command) => Promise<string>): void {
    this.#run = run;
  }

  /** Always ends, after about ten seconds at the latest. */
  async send(machine: string, command: Pick<Command, "threadId" | "kind" | "body">): Promise<CommandResult> {
    const { query, key, machine: sender, now = Date.now } = this.#options;
    if (key === undefined)
      return {
        type: "unauthorized",
        reason: `commands to other machines are off here: set shared.control to "signed" and SIGNALBOX_SHARED_KEY (${minKeyLength} characters or more), the same on both machines`,
      };
    const [target] = await query(
      "SELECT control, online_until > now() AS online FROM signalbox.machines WHERE machine = $1",
      [machine],
    );
    if (target?.control !== "signed")
      return { type: "unauthorized", reason: `${machine} takes no commands (shared.control is off there)` };
    if (target.online !== true) return { type: "unavailable", reason: `${machine} is off` };
    const sent: Command = { ...command, id: randomUUID(), machine, sender, sentAt: now() };
    await query(
      `WITH sent AS (
         INSERT INTO signalbox.commands(id, machine, sender, thread_id, kind, body, sent_at, signature) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
       ) SELECT pg_notify('signalbox', $9)`,
      [
        sent.id,
        machine,
        sender,
        sent.threadId,
        sent.kind,
        sent.body,
        sent.sentAt,
        signCommand(key, sent),
        JSON.stringify({ command: machine }),
      ],
    );
    return await this.#waitForAnswer(sent, key);
  }

  /** Runs the commands that wait for this machine. Calls run one after the other. */
  async receive(): Promise<void> {
    await this.#receiving.run(() => this.#receive());
  }

  async #waitForAnswer({ id, machine }: Command, key: string): Promise<CommandResult> {
    const { query, answerMs = defaultAnswerMs } = this.#options;
    const deadline = performance.now() + answerMs;
    do {
      const [row] = await query(
        "SELECT answer, answer_signature FROM signalbox.commands WHERE id = $1 AND answered_at IS NOT NULL",
        [id],
      );
      if (row !== undefined) {
        const answer = readTextOrNull(row, "answer");
        await query("DELETE FROM signalbox.commands WHERE id = $1", [id]);
        if (answer === null)
          return {
            type: "unauthorized",
            reason: `${machine} refused the signature. SIGNALBOX_SHARED_KEY must be the same on both machines, and their clocks right`,
          };
        if (isSame(readBytes(row, "answer_signature"), signAnswer(key, id, answer)))
          return { type: "answered", answer };
        return { type: "unauthorized", reason: `what came back from ${machine} is not signed by it` };
      }
      await wait(pollMs);
    } while (performance.now() < deadline);
    const withdrawn = await query("DELETE FROM signalbox.commands WHERE id = $1 AND taken_at IS NULL RETURNING id", [
      id,
    ]);
    const reason =
      withdrawn.length > 0 ? "does not answer; nothing was done" : "has received it and has not answered yet";
    return { type: "unavailable", reason: `${machine} ${reason}` };
  }

  async #receive(): Promise<void> {
    const { query, key, machine, positions, now = Date.now } = this.#options;
    const run = this.#run;
    if (key === undefined || run === null) return;
    for (const row of await query(pendingSql, [machine])) {
      const command = toCommand(row);
      const taken = await query(
        "UPDATE signalbox.commands SET taken_at = now() WHERE id = $1 AND taken_at IS NULL RETURNING id",
        [command.id],
      );
      if (taken.length === 0) continue;
      const age = now() - command.sentAt;
      const isSigned = isSame(readBytes(row, "signature"), signCommand(key, command));
      // The id is recorded here before the command runs, so that a row that is inserted again does not run again, even after a crash.
      const isFresh = isSigned && age <= expiryMs && age >= -maxAheadMs && positions.takeCommand(command.id, now());
      if (isFresh) void this.#answer(command.id, key, run(command));
      else await this.#store(command.id, null, null);
    }
  }

  async #answer(id: string, key: string, running: Promise<string>): Promise<void> {
    try {
      const answer = await running.catch((error: unknown) =>
        JSON.stringify({ type: "tinyvex.error", code: "internal", message: messageOf(error) }),
      );
      await this.#store(id, answer, signAnswer(key, id, answer));
    } catch {
      // Without the database there is no way to answer; the sender reports that there was no answer.
    }
  }

  async #store(id: string, answer: string | null, signature: Buffer | null): Promise<void> {
    const { query } = this.#options;
    await query("UPDATE signalbox.commands SET answer = $2, answer_signature = $3, answered_at = now() WHERE id = $1", [
      id,
      answer,
      signature,
    ]);
    await query("DELETE FROM signalbox.commands WHERE created_at < now() - interval '1 hour'", []);
  }
}

function toCommand(row: Row): Command {
  return {
    id: readText(row, "id"),
    machine: readText(row, "machine"),
    sender: readText(row, "sender"),
    threadId: readTextOrNull(row, "thread_id"),
    kind: readText(row, "kind"),
    body: readText(row, "body"),
    sentAt: readInteger(row, "sent_at"),
  };
}
