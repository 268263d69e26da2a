// Implements the open states of a call: each has the steps of its state, and the last step passes the record to the next state.
import type { ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { messageOf } from "@signalbox/base";
import { ToolCallError } from "../tool-call-error.ts";
import type { CallRecord, Ending } from "./call-record.ts";
import { readProgress } from "./progress.ts";
import type { FailedToolCall, PendingToolCall, RunningToolCall, SettledToolCall, ToolCallChange } from "./tool-call.ts";

/** Behaviour that pending and running calls share. */
abstract class OpenCall {
  protected readonly record: CallRecord;

  constructor(record: CallRecord) {
    this.record = record;
  }

  get sessionId(): string {
    return this.record.sessionId;
  }
  get cwd(): string {
    return this.record.cwd;
  }
  get id(): string {
    return this.record.id;
  }
  get name(): string {
    return this.record.name;
  }
  get title(): string {
    return this.record.title;
  }
  get kind(): ToolKind {
    return this.record.kind;
  }
  get rawInput(): unknown {
    return this.record.rawInput;
  }
  get content(): readonly ToolCallContent[] {
    return this.record.content;
  }
  get locations(): readonly ToolCallLocation[] {
    return this.record.locations;
  }
  get signal(): AbortSignal {
    return this.record.signal;
  }

  delivered(): Promise<void> {
    return this.record.delivered();
  }

  update(change: ToolCallChange): void {
    if (this.isOpen()) this.record.update(change);
  }

  /** False when the call has ended meanwhile. Throws a `ToolCallError` (`stale_state`) when the call has moved on to another state. */
  protected isOpen(): boolean {
    if (this.record.settlement !== undefined) return false;
    if (Object.is(this.record.state, this)) return true;
    throw staleState(this.record);
  }

  protected end(ending: Ending, change?: ToolCallChange): SettledToolCall {
    this.isOpen();
    return this.record.settle(ending, change);
  }
}

export class PendingCall extends OpenCall implements PendingToolCall {
  readonly status = "pending";

  input(args: unknown): void {
    if (this.isOpen()) this.record.input(args);
  }

  start(): RunningToolCall | FailedToolCall {
    if (!this.isOpen()) return this.#failure();
    const running = new RunningCall(this.record);
    this.record.state = running;
    this.record.start();
    return running;
  }

  deny(message: string): FailedToolCall {
    this.end({ outcome: "denied", message });
    return this.#failure();
  }

  fail(error: unknown, change?: ToolCallChange): FailedToolCall {
    this.end({ outcome: "failed", message: messageOf(error) }, change);
    return this.#failure();
  }

  cancel(reason: string): FailedToolCall {
    this.end({ outcome: "cancelled", message: reason });
    return this.#failure();
  }

  /** A call that never left this state cannot have ended otherwise. */
  #failure(): FailedToolCall {
    const { settlement } = this.record;
    if (settlement?.status !== "failed") throw staleState(this.record);
    return settlement;
  }
}

class RunningCall extends OpenCall implements RunningToolCall {
  readonly status = "in_progress";

  progress(progress: number, total?: number | null, message?: string | null): void {
    const reported = readProgress(progress, total, message);
    if (reported !== undefined && this.isOpen()) this.record.progress(reported);
  }

  complete(change?: ToolCallChange): SettledToolCall {
    return this.end({ outcome: "completed" }, change);
  }

  fail(error: unknown, change?: ToolCallChange): SettledToolCall {
    return this.end({ outcome: "failed", message: messageOf(error) }, change);
  }

  cancel(reason: string): SettledToolCall {
    return this.end({ outcome: "cancelled", message: reason });
  }
}

function staleState({ id, name }: CallRecord): ToolCallError {
  return new ToolCallError(
    "stale_state",
    `The call ${id} of ${name} has left this state. Use the object that start() returned.`,
  );
}
