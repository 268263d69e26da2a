// Collects the result of a turn from its events, as one object for scripts.
import {
  type Cost,
  type EventRow,
  isFact,
  type JsonObject,
  type PermissionDecided,
  type TurnRow,
} from "@signalbox/protocol";
import type { PrintedText } from "./turn-printer.ts";

interface DeniedCall {
  readonly permission_id: string;
  readonly tool_call_id: string | null;
  readonly title: string | null;
  readonly decided_by: string;
  readonly rule: string | null;
}

interface TurnResult {
  readonly thread_id: string | null;
  readonly turn_id: string | null;
  /** Null for a turn that failed; `error` says why. */
  readonly stop_reason: string | null;
  readonly text: string;
  /** The one that answered, as the agent names it; null where that is not known. */
  readonly model: string | null;
  readonly usage: JsonObject | null;
  /** Null where the agent names none. */
  readonly cost: Cost | null;
  readonly denied: readonly DeniedCall[];
  readonly error?: string;
}

export class TurnSummary {
  readonly #calls = new Map<string, JsonObject & { readonly toolCallId: string }>();
  readonly #denied: DeniedCall[] = [];
  #threadId: string | null = null;
  #turnId: string | null = null;
  #stopReason: string | null = null;
  #error: string | undefined;
  #text = "";

  /** `printed` is the text that this event adds to the output. */
  add({ thread_id, kind, payload }: EventRow, printed: readonly PrintedText[]): void {
    this.#threadId = thread_id;
    for (const { to, text } of printed) if (to === "stdout") this.#text += text;
    if (!isFact(payload) || kind !== `signalbox/${payload.type}`) return;
    switch (payload.type) {
      case "turn_queued":
        this.#turnId = payload.turn_id;
        return;
      case "permission_requested":
        if (payload.tool_call !== null) this.#calls.set(payload.permission_id, payload.tool_call);
        return;
      case "permission_decided":
        if (payload.status !== "allowed") this.#denied.push(this.#describeDenial(payload));
        return;
      case "turn_ended":
        this.#stopReason = payload.stop_reason;
        return;
      case "turn_failed":
        this.#error = payload.error.message;
        return;
      case "turn_interrupted":
        this.#error = payload.reason;
        return;
      case "turn_removed":
        this.#stopReason = "cancelled";
        return;
      default:
        return;
    }
  }

  get place(): { readonly threadId: string; readonly turnId: string } | null {
    return this.#threadId === null || this.#turnId === null ? null : { threadId: this.#threadId, turnId: this.#turnId };
  }

  summarize(turn: TurnRow | undefined): TurnResult {
    return {
      thread_id: this.#threadId,
      turn_id: this.#turnId,
      stop_reason: this.#stopReason,
      text: this.#text.trimEnd(),
      model: turn?.model ?? null,
      usage: turn?.usage ?? null,
      cost: turn?.cost ?? null,
      denied: this.#denied,
      ...(this.#error !== undefined && { error: this.#error }),
    };
  }

  #describeDenial({ permission_id, decided_by, rule }: PermissionDecided): DeniedCall {
    const call = this.#calls.get(permission_id);
    const title = typeof call?.title === "string" ? call.title : null;
    return { permission_id, tool_call_id: call?.toolCallId ?? null, title, decided_by, rule };
  }
}
