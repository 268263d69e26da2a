// Holds the data of one call and sends its updates. Every state of the call works on the same record.
import type { ToolCallContent, ToolCallLocation, ToolCallStatus, ToolKind } from "@agentclientprotocol/sdk";
import { boundContent, contentLength, textContent } from "../content/content.ts";
import { jsonCopy } from "../content/json-copy.ts";
import { inferToolKind } from "../describe/kind.ts";
import { findLocations } from "../describe/locations.ts";
import { collectSecrets } from "../describe/redact.ts";
import { createToolTitle } from "../describe/title.ts";
import { ToolCallError } from "../tool-call-error.ts";
import { type Progress, ProgressThrottle, progressMetaKey, progressTitle } from "./progress.ts";
import type { OpenToolCall, SettledReport, SettledToolCall, ToolCallChange } from "./tool-call.ts";
import { type SendUpdate, UpdateQueue } from "./update-queue.ts";

/** The part of the tracker that a call uses. */
export interface CallHome {
  readonly sessionId: string;
  readonly cwd: string;
  readonly maxLength: number;
  readonly send: SendUpdate;
  /** Called once, right after the last update was handed over. */
  settled(record: CallRecord): void;
}

/** A call to be announced. */
export interface ToolCallStart extends Omit<ToolCallChange, "rawInput" | "rawOutput"> {
  readonly name: string;
  /** Leave them out while the model is still writing them; `input` completes the call. */
  readonly args?: unknown;
  /** The id that the model gave. When the session has seen it before, the call gets another one. */
  readonly id?: string;
  /** When this aborts, the call ends as cancelled. */
  readonly signal?: AbortSignal;
}

/** How a call ends. */
export type Ending =
  | { readonly outcome: "completed" }
  | { readonly outcome: "failed" | "denied" | "cancelled"; readonly message: string };

/** The fields of an update that carry something new. */
interface ChangedFields {
  title?: string;
  kind?: ToolKind;
  content?: ToolCallContent[];
  locations?: ToolCallLocation[];
  rawInput?: unknown;
  rawOutput?: unknown;
  _meta?: Record<string, unknown>;
}

export class CallRecord {
  readonly sessionId: string;
  readonly cwd: string;
  readonly id: string;
  readonly name: string;
  title: string;
  kind: ToolKind;
  content: readonly ToolCallContent[] = [];
  locations: readonly ToolCallLocation[] = [];
  rawInput: unknown;
  /** The state that may take the next step; the states before it may not. */
  state: OpenToolCall | undefined;
  settlement: SettledToolCall | undefined;

  readonly #home: CallHome;
  readonly #queue: UpdateQueue;
  /** Fields that the start of the call set explicitly; the arguments must not change them. */
  readonly #given: Pick<ToolCallStart, "title" | "locations">;
  readonly #outerSignal: AbortSignal | undefined;
  readonly #announcedAt = Date.now();
  readonly #announced = performance.now();
  #started: number | undefined;
  #ended: number | undefined;
  #rawOutput: unknown;
  #meta: Record<string, unknown> = {};
  /** The title as the client shows it; differs from `title` while progress is shown. */
  #shownTitle: string;
  #progress: ProgressThrottle | undefined;
  #controller: AbortController | undefined;
  #onAbort: (() => void) | undefined;

  constructor(home: CallHome, id: string, start: ToolCallStart) {
    this.#home = home;
    this.#queue = new UpdateQueue(home.send);
    this.#given = { title: start.title, locations: start.locations };
    this.#outerSignal = start.signal;
    this.sessionId = home.sessionId;
    this.cwd = home.cwd;
    this.id = id;
    this.name = start.name;
    this.kind = inferToolKind(start.name, start.kind);
    const { content, meta } = start;
    const { rawInput, title, locations } = this.#inputChange(start.args);
    this.title = title;
    this.#shownTitle = title;
    const changed = this.#changed({
      ...(rawInput === undefined ? {} : { rawInput }),
      ...(locations.length === 0 ? {} : { locations }),
      ...(content === undefined ? {} : { content }),
      ...(meta === undefined ? {} : { meta }),
    });
    const { name, kind } = this;
    this.#queue.push({ sessionUpdate: "tool_call", toolCallId: id, title, name, kind, status: "pending", ...changed });
  }

  /** Ends the call as cancelled when the signal of its start aborts. */
  linkSignal(): void {
    if (this.#outerSignal === undefined) return;
    this.#onAbort = () => void this.settle({ outcome: "cancelled", message: "The call was cancelled." });
    if (this.#outerSignal.aborted) this.#onAbort();
    else this.#outerSignal.addEventListener("abort", this.#onAbort);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.settlement?.status === "failed") this.#controller.abort(this.#abortReason(this.settlement.message));
    }
    return this.#controller.signal;
  }

  delivered(): Promise<void> {
    return this.#queue.idle();
  }

  update(change: ToolCallChange): void {
    this.#sendNews(this.#changed(this.#safe(change)));
  }

  input(args: unknown): void {
    this.#sendNews(this.#changed(this.#inputChange(args)));
  }

  start(): void {
    this.#started = performance.now();
    this.#send({}, "in_progress");
  }

  progress(progress: Progress): void {
    this.#progress ??= new ProgressThrottle((held) => {
      this.#shownTitle = progressTitle(this.name, held, collectSecrets(this.rawInput));
      this.#send({ title: this.#shownTitle, ...this.#changed({ meta: { [progressMetaKey]: held } }) });
    });
    this.#progress.report(progress);
  }

  /** The first end wins; later ones hand it back. */
  settle(ending: Ending, change: ToolCallChange = {}): SettledToolCall {
    if (this.settlement !== undefined) return this.settlement;
    this.#progress?.end();
    this.#ended = performance.now();
    const failed = ending.outcome !== "completed";
    const content = change.content ?? (failed ? [...this.content, textContent(ending.message)] : undefined);
    const status = failed ? "failed" : "completed";
    // The title is given again because the client may still show progress in its place.
    this.#send(
      this.#changed({ ...this.#safe(change), ...(content && { content }), title: change.title ?? this.title }),
      status,
    );

    const { id, name, title, kind } = this;
    const facts = { id, name, title, kind, delivered: () => this.delivered() };
    this.settlement = failed ? { ...facts, status: "failed", ...ending } : { ...facts, status: "completed", ...ending };
    if (this.#onAbort) this.#outerSignal?.removeEventListener("abort", this.#onAbort);
    this.#home.settled(this);
    if (failed) this.#controller?.abort(this.#abortReason(ending.message));
    return this.settlement;
  }

  report(settlement: SettledToolCall): SettledReport {
    const { id, name, kind, title, outcome } = settlement;
    const ended = this.#ended ?? performance.now();
    return {
      sessionId: this.sessionId,
      id,
      name,
      kind,
      title,
      outcome,
      ...(settlement.status === "failed" ? { message: settlement.message } : {}),
      announcedAt: this.#announcedAt,
      waitedMs: (this.#started ?? ended) - this.#announced,
      durationMs: this.#started === undefined ? 0 : ended - this.#started,
      inputSize: jsonLength(this.rawInput),
      outputSize: this.content.reduce((sum, item) => sum + contentLength(item), jsonLength(this.#rawOutput)),
    };
  }

  /** Returns the caller's reason for the abort, or that the call was ended from here. */
  #abortReason(message: string): unknown {
    return this.#outerSignal?.aborted ? this.#outerSignal.reason : new ToolCallError("cancelled", message);
  }

  /** Derives title and locations from the arguments, unless the start of the call set them. */
  #inputChange(args: unknown): { rawInput: unknown; title: string; locations: readonly ToolCallLocation[] } {
    const rawInput = jsonCopy(args);
    const title = this.#given.title ?? createToolTitle(this.name, rawInput, this.cwd);
    return { rawInput, title, locations: this.#given.locations ?? findLocations(rawInput, this.cwd) };
  }

  /** Raw values of tools and models, made safe to keep. */
  #safe(change: ToolCallChange): ToolCallChange {
    if (change.rawInput === undefined && change.rawOutput === undefined) return change;
    return { ...change, rawInput: jsonCopy(change.rawInput), rawOutput: jsonCopy(change.rawOutput) };
  }

  /** Notes the change and says what of it is news to the client. */
  #changed(change: ToolCallChange): ChangedFields {
    const changed: ChangedFields = {};
    const { maxLength } = this.#home;
    if (change.title !== undefined) {
      this.title = change.title;
      if (this.title !== this.#shownTitle) changed.title = this.#shownTitle = this.title;
    }
    if (change.kind !== undefined && change.kind !== this.kind) changed.kind = this.kind = change.kind;
    if (change.content !== undefined) this.content = changed.content = boundContent(change.content, maxLength);
    if (change.locations !== undefined) this.locations = changed.locations = [...change.locations];
    // Kept whole, because decisions are made on it; only what is sent is bounded.
    if (change.rawInput !== undefined) changed.rawInput = jsonCopy((this.rawInput = change.rawInput), maxLength);
    if (change.rawOutput !== undefined) changed.rawOutput = jsonCopy((this.#rawOutput = change.rawOutput), maxLength);
    if (change.meta === undefined) return changed;
    // Whole, because some clients replace `_meta` and others merge it.
    this.#meta = { ...this.#meta, ...change.meta };
    return { ...changed, _meta: this.#meta };
  }

  #sendNews(changed: ChangedFields): void {
    if (Object.keys(changed).length > 0) this.#send(changed);
  }

  #send(changed: ChangedFields, status?: ToolCallStatus): void {
    const update = { sessionUpdate: "tool_call_update", toolCallId: this.id, ...changed } as const;
    this.#queue.push(status === undefined ? update : { ...update, status });
  }
}

function jsonLength(value: unknown): number {
  return value === undefined ? 0 : JSON.stringify(value).length;
}
