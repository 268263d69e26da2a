// Runs one turn for a command: creates or resumes a thread, adds its rules, sends the prompt, and yields every stored event until the turn has
// ended. Denies what no rule allows, unless a person at a screen is to answer.
import { randomUUID } from "node:crypto";
import {
  type ContentBlock,
  type EventRow,
  type Fact,
  HostError,
  isJsonObject,
  type JsonObject,
  type PermissionOption,
  type ThreadRow,
  toFields,
} from "@signalbox/protocol";
import { findThread } from "../register/open-for-reading.ts";
import type { NewTurnThread, ResumedThread, TurnHost, TurnRule } from "./turn-host.ts";

interface TurnRequest {
  readonly thread: NewTurnThread | ResumedThread;
  readonly prompt: readonly ContentBlock[];
  readonly rules: readonly TurnRule[];
  /** True: what no rule decides waits for a person at a screen. False: it is denied. */
  readonly waitsForAnswers: boolean;
  /** Cancels the turn; the events until its end still come. */
  readonly signal: AbortSignal;
}

/** Big events are rare; few at a time keeps them from piling up. */
const eventsPerPage = 100;

/** Throws when the agent cannot be started or the host is lost. The thread stays; nothing is left running. */
export async function* runTurn(host: TurnHost, request: TurnRequest): AsyncGenerator<EventRow> {
  // An agent that never answers must not delay a cancel; closing the host ends the agent, or a thread that comes later.
  const isResumed = "resume" in request.thread;
  const thread = await Promise.race([openThread(host, request.thread), whenAborted(request.signal)]);
  const cancel = () => void host.cancel(thread.id).catch(() => {});
  try {
    await host.addRules(thread.id, request.rules);
    const wakeUp = new WakeUp(host.lost);
    await host.follow(thread.id, () => wakeUp.notify());
    request.signal.throwIfAborted();
    const { turn_id } = await host.submit(thread.id, randomUUID(), request.prompt);
    request.signal.addEventListener("abort", cancel);
    if (request.signal.aborted) cancel();
    const from = { threadId: thread.id, turnId: turn_id, afterSeq: isResumed ? thread.last_seq : 0 };
    yield* events(host, from, request.waitsForAnswers, wakeUp);
  } finally {
    request.signal.removeEventListener("abort", cancel);
    // When the host is gone there is nothing left to end. A thread that was there before may be open on a page: its agent stays.
    await host.removeRules(thread.id, request.rules).catch(() => {});
    if (!isResumed) await host.endThread(thread.id).catch(() => {});
  }
}

async function openThread(host: TurnHost, wanted: NewTurnThread | ResumedThread): Promise<ThreadRow> {
  if (!("resume" in wanted)) return await host.createThread(wanted);
  const { resume, ...settings } = wanted;
  const { id, status } = await findThread(host, resume);
  if (status === "running" || status === "waiting") {
    throw new HostError("conflict", `A turn runs in the thread ${id}. Try again when it has ended.`);
  }
  return await host.resumeThread(id, settings);
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => reject(new HostError("unavailable", "The turn was cancelled before it began."));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}

async function* events(
  host: TurnHost,
  { threadId, turnId, afterSeq }: { readonly threadId: string; readonly turnId: string; readonly afterSeq: number },
  waitsForAnswers: boolean,
  wakeUp: WakeUp,
): AsyncGenerator<EventRow> {
  const open = new Map<string, readonly PermissionOption[]>();
  const unanswered = new Set<string>();
  let seq = afterSeq;
  for (;;) {
    const args = { thread_id: threadId, after_seq: seq, limit: eventsPerPage, full: true };
    const { rows } = await host.query("events.list", args);
    for (const event of rows) {
      yield event;
      seq = event.seq;
      if (endsTurn(event, turnId)) return;
      trackPermission(event, open);
      trackElicitation(event, unanswered);
    }
    if (!waitsForAnswers) {
      await denyAll(host, threadId, open);
      await dismissAll(host, threadId, unanswered);
    }
    if (rows.length < eventsPerPage) await wakeUp.wait();
  }
}

function endsTurn({ kind, payload }: EventRow, turnId: string): boolean {
  return turnEndings.has(kind) && toFields(payload).turn_id === turnId;
}

const turnEndings: ReadonlySet<string> = new Set(
  (["turn_ended", "turn_failed", "turn_interrupted", "turn_removed"] satisfies Fact["type"][]).map(
    (type) => `signalbox/${type}`,
  ),
);

function trackPermission({ kind, payload }: EventRow, open: Map<string, readonly PermissionOption[]>): void {
  if (!isJsonObject(payload) || typeof payload.permission_id !== "string") return;
  const id = payload.permission_id;
  if (kind === "signalbox/permission_requested") open.set(id, readOptions(payload));
  else if (kind === "signalbox/permission_decided") open.delete(id);
}

function trackElicitation({ kind, payload }: EventRow, unanswered: Set<string>): void {
  if (!isJsonObject(payload) || typeof payload.elicitation_id !== "string") return;
  if (kind === "signalbox/elicitation_requested") unanswered.add(payload.elicitation_id);
  else if (kind === "signalbox/elicitation_decided") unanswered.delete(payload.elicitation_id);
}

function readOptions({ options }: JsonObject): readonly PermissionOption[] {
  return Array.isArray(options) ? options : [];
}

/** No rule allowed it and no person is there to ask. The turn is cancelled when the agent offers no option that denies. */
async function denyAll(
  host: TurnHost,
  threadId: string,
  open: Map<string, readonly PermissionOption[]>,
): Promise<void> {
  for (const [permissionId, options] of open) {
    open.delete(permissionId);
    const no =
      options.find(({ kind }) => kind === "reject_once") ?? options.find(({ kind }) => kind.startsWith("reject"));
    await unlessSettled(no === undefined ? host.cancel(threadId) : host.respond(threadId, permissionId, no.optionId));
  }
}

/** No person is there to fill in a form or to open an address: the question is cancelled. */
async function dismissAll(host: TurnHost, threadId: string, unanswered: Set<string>): Promise<void> {
  for (const elicitationId of unanswered) {
    unanswered.delete(elicitationId);
    await unlessSettled(host.dismiss(threadId, elicitationId));
  }
}

/** A rule, a person or the end of the turn may be faster than we are. */
async function unlessSettled(answer: Promise<void>): Promise<void> {
  try {
    await answer;
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== "conflict") throw error;
  }
}

/** Wakes a loop when there may be something new. A notification that comes while the loop does not wait is kept. */
class WakeUp {
  readonly #lost: Promise<never>;
  #isNotified = false;
  #wake: (() => void) | null = null;

  constructor(lost: Promise<never>) {
    this.#lost = lost;
  }

  notify(): void {
    this.#isNotified = true;
    this.#wake?.();
  }

  async wait(): Promise<void> {
    if (!this.#isNotified) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await Promise.race([woken, this.#lost]);
    }
    this.#isNotified = false;
    this.#wake = null;
  }
}
