// One turn from the outside: a thread, its rules, the prompt, then every event as it is stored, until the turn has ended. What no rule
// allows is denied, unless somebody at a screen is waited for.
import { randomUUID } from "node:crypto";
import {
  type ContentBlock,
  type EventRow,
  type Fact,
  isJsonObject,
  type JsonObject,
  type PermissionOption,
} from "@signalbox/protocol";
import { HostError } from "../data/host-error.ts";
import type { NewTurnThread, TurnPlace, TurnRule } from "./turn-place.ts";

export interface TurnRequest {
  readonly thread: NewTurnThread;
  readonly prompt: readonly ContentBlock[];
  readonly rules: readonly TurnRule[];
  /** True: what no rule decides waits for a person at a screen. False: it is denied. */
  readonly waitsForAnswers: boolean;
  /** Cancels the turn; the events until its end still come. */
  readonly signal: AbortSignal;
}

/** Big events are rare; few at a time keeps them from piling up. */
const eventsAtOnce = 100;

/** Throws when the agent cannot be started or the place is lost. Leaves the thread, and nothing running. */
export async function* runTurn(place: TurnPlace, request: TurnRequest): AsyncGenerator<EventRow> {
  // An agent that never answers must not keep whoever cancels; closing the place ends it.
  const thread = await Promise.race([place.createThread(request.thread), whenAborted(request.signal)]);
  const cancel = () => void place.cancel(thread.id).catch(() => {});
  try {
    await place.addRules(thread.id, request.rules);
    const bell = new Bell(place.lost);
    await place.follow(thread.id, () => bell.ring());
    request.signal.throwIfAborted();
    const { turn_id } = await place.submit(thread.id, randomUUID(), request.prompt);
    request.signal.addEventListener("abort", cancel);
    if (request.signal.aborted) cancel();
    yield* events(place, thread.id, turn_id, request.waitsForAnswers, bell);
  } finally {
    request.signal.removeEventListener("abort", cancel);
    // When the place itself is gone there is nothing left to end.
    await place.endThread(thread.id).catch(() => {});
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => reject(new HostError("unavailable", "The turn was cancelled before it began."));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}

async function* events(
  place: TurnPlace,
  threadId: string,
  turnId: string,
  waitsForAnswers: boolean,
  bell: Bell,
): AsyncGenerator<EventRow> {
  const open = new Map<string, readonly PermissionOption[]>();
  const unanswered = new Set<string>();
  let seq = 0;
  for (;;) {
    const args = { thread_id: threadId, after_seq: seq, limit: eventsAtOnce, full: true };
    const rows = (await place.query("events.list", args)).rows as unknown as readonly EventRow[];
    for (const event of rows) {
      yield event;
      seq = event.seq;
      if (endsTurn(event, turnId)) return;
      noteQuestion(event, open);
      noteElicitation(event, unanswered);
    }
    if (!waitsForAnswers) {
      await denyAll(place, threadId, open);
      await dismissAll(place, threadId, unanswered);
    }
    if (rows.length < eventsAtOnce) await bell.rung();
  }
}

function endsTurn({ kind, payload }: EventRow, turnId: string): boolean {
  return turnEndings.has(kind) && isJsonObject(payload) && payload["turn_id"] === turnId;
}

const turnEndings: ReadonlySet<string> = new Set(
  (["turn_ended", "turn_failed", "turn_interrupted", "turn_removed"] satisfies Fact["type"][]).map(
    (type) => `signalbox/${type}`,
  ),
);

function noteQuestion({ kind, payload }: EventRow, open: Map<string, readonly PermissionOption[]>): void {
  if (!isJsonObject(payload) || typeof payload["permission_id"] !== "string") return;
  const id = payload["permission_id"];
  if (kind === "signalbox/permission_requested") open.set(id, optionsOf(payload));
  else if (kind === "signalbox/permission_decided") open.delete(id);
}

function noteElicitation({ kind, payload }: EventRow, unanswered: Set<string>): void {
  if (!isJsonObject(payload) || typeof payload["elicitation_id"] !== "string") return;
  if (kind === "signalbox/elicitation_requested") unanswered.add(payload["elicitation_id"]);
  else if (kind === "signalbox/elicitation_decided") unanswered.delete(payload["elicitation_id"]);
}

function optionsOf({ options }: JsonObject): readonly PermissionOption[] {
  return Array.isArray(options) ? options : [];
}

/** No rule allowed it and nobody is there to ask. An agent that offers no way to say no has its turn cancelled. */
async function denyAll(
  place: TurnPlace,
  threadId: string,
  open: Map<string, readonly PermissionOption[]>,
): Promise<void> {
  for (const [permissionId, options] of open) {
    open.delete(permissionId);
    const no =
      options.find(({ kind }) => kind === "reject_once") ?? options.find(({ kind }) => kind.startsWith("reject"));
    await unlessSettled(no === undefined ? place.cancel(threadId) : place.respond(threadId, permissionId, no.optionId));
  }
}

/** Nobody is there to fill in a form or to open an address: the agent is told so. */
async function dismissAll(place: TurnPlace, threadId: string, unanswered: Set<string>): Promise<void> {
  for (const elicitationId of unanswered) {
    unanswered.delete(elicitationId);
    await unlessSettled(place.dismiss(threadId, elicitationId));
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

/** Rung when there may be something new; a ring while nobody waits is not forgotten. */
class Bell {
  readonly #lost: Promise<never>;
  #hasRung = false;
  #wake: (() => void) | null = null;

  constructor(lost: Promise<never>) {
    this.#lost = lost;
  }

  ring(): void {
    this.#hasRung = true;
    this.#wake?.();
  }

  async rung(): Promise<void> {
    if (!this.#hasRung) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await Promise.race([woken, this.#lost]);
    }
    this.#hasRung = false;
    this.#wake = null;
  }
}
