// Tracks the tool calls of one session: gives them ids, announces them, and makes sure that every one of them ends.
import { randomBytes } from "node:crypto";
import type { Plan } from "@agentclientprotocol/sdk";
import { messageOf } from "@signalbox/base";
import type { SessionUpdates } from "../client.ts";
import { defaultMaxLength } from "../content/json-copy.ts";
import { type Log, logToStderr } from "../log.ts";
import { type CallHome, CallRecord, type ToolCallStart } from "./call-record.ts";
import { PendingCall } from "./call-states.ts";
import type { OpenToolCall, PendingToolCall, SettledReport } from "./tool-call.ts";
import { type TrackedUpdate, UpdateQueue } from "./update-queue.ts";

export interface ToolCallTrackerOptions {
  /** The client that is told; `clientOf` makes it from the SDK's context. */
  readonly client: SessionUpdates;
  readonly sessionId: string;
  /** The session's working directory: relative paths are meant from here. */
  readonly cwd: string;
  /** The most characters of content, of raw input and of raw output in one update. What a tool returns is not truncated, only what is sent. */
  readonly maxLength?: number;
  /** Called once for each call that has ended. */
  readonly onSettled?: (report: SettledReport) => void;
  readonly log?: Log;
}

export class ToolCallTracker {
  readonly sessionId: string;
  readonly cwd: string;
  /** See `ToolCallTrackerOptions`. */
  readonly maxLength: number;
  readonly log: Log;

  readonly #client: SessionUpdates;
  readonly #onSettled: ((report: SettledReport) => void) | undefined;
  readonly #home: CallHome;
  readonly #plans: UpdateQueue;
  readonly #open = new Map<string, CallRecord>();
  /** Ended, but the client has not taken the end yet. */
  readonly #leaving = new Set<Promise<void>>();
  readonly #usedIds = new Set<string>();
  /** Random, so that a session that is resumed in another process does not meet its old ids. */
  readonly #idPrefix = `call_${randomBytes(6).toString("hex")}_`;
  #nextId = 1;
  #clientLost = false;

  constructor(options: ToolCallTrackerOptions) {
    this.sessionId = options.sessionId;
    this.cwd = options.cwd;
    this.maxLength = options.maxLength ?? defaultMaxLength;
    this.log = options.log ?? logToStderr;
    this.#client = options.client;
    this.#onSettled = options.onSettled;
    const send = (update: TrackedUpdate) => this.#send(update);
    this.#home = {
      sessionId: this.sessionId,
      cwd: this.cwd,
      maxLength: this.maxLength,
      send,
      settled: (record) => this.#settled(record),
    };
    this.#plans = new UpdateQueue(send);
  }

  /** Tells the client of a call that is about to come. */
  announce(start: ToolCallStart): PendingToolCall {
    const record = new CallRecord(this.#home, this.#uniqueId(start.id), start);
    const pending = new PendingCall(record);
    record.state = pending;
    this.#open.set(record.id, record);
    record.linkSignal();
    return pending;
  }

  /** Shows a plan; it replaces the one before. */
  plan(plan: Plan): void {
    this.#plans.push({ ...plan, sessionUpdate: "plan" });
  }

  /** The calls that have not ended, in the order they were announced. */
  get openCalls(): OpenToolCall[] {
    return [...this.#open.values()].flatMap(({ state }) => state ?? []);
  }

  /** Ends every open call as cancelled: on cancel, on an error, at the exit. Resolves when the client has been told. */
  async settleAll(reason: string): Promise<void> {
    const open = [...this.#open.values()];
    for (const record of open) record.settle({ outcome: "cancelled", message: reason });
    await this.flush();
  }

  /** Resolves when the client has taken everything that was sent so far. Wait for it before you end a turn. */
  async flush(): Promise<void> {
    const open = [...this.#open.values()].map((record) => record.delivered());
    await Promise.all([...open, ...this.#leaving, this.#plans.idle()]);
  }

  #uniqueId(wanted: string | undefined): string {
    let id = wanted || `${this.#idPrefix}${this.#nextId++}`;
    while (this.#usedIds.has(id)) id = `${wanted || "call"}_${this.#idPrefix}${this.#nextId++}`;
    this.#usedIds.add(id);
    return id;
  }

  #settled(record: CallRecord): void {
    this.#open.delete(record.id);
    const leaving = record.delivered();
    this.#leaving.add(leaving);
    void leaving.then(() => this.#leaving.delete(leaving));
    if (this.#onSettled === undefined || record.settlement === undefined) return;
    try {
      this.#onSettled(record.report(record.settlement));
    } catch (error) {
      this.log(`onSettled threw: ${messageOf(error)}`);
    }
  }

  #send(update: TrackedUpdate): Promise<void> | undefined {
    try {
      const taken = this.#client.sessionUpdate({ sessionId: this.sessionId, update });
      if (taken === undefined) return undefined;
      return taken.then(
        () => this.#sent(),
        (error: unknown) => this.#lost(error),
      );
    } catch (error) {
      this.#lost(error);
      return undefined;
    }
  }

  #sent(): void {
    this.#clientLost = false;
  }

  /** A client that is gone must not fail the tool; it is said once, not for every update. */
  #lost(error: unknown): void {
    if (!this.#clientLost) this.log(`The client takes no updates of session ${this.sessionId}: ${messageOf(error)}`);
    this.#clientLost = true;
  }
}
