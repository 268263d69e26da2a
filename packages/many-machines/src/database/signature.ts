// Signs the commands between machines, and the answers, with a key that both have. Someone who can only write to the database has no key, so
// no machine runs their commands.
import { createHmac, timingSafeEqual } from "node:crypto";

/** Shorter keys could be guessed. */
export const minKeyLength = 16;

export function isLongEnough(key: string | undefined): key is string {
  return key !== undefined && key.length >= minKeyLength;
}

/** Everything that a command says: all of it is signed. */
export interface Command {
  readonly id: string;
  /** The machine that is to run it. */
  readonly machine: string;
  readonly sender: string;
  readonly threadId: string | null;
  readonly kind: string;
  /** The request as JSON. */
  readonly body: string;
  /** In ms since 1970, by the sender's clock. */
  readonly sentAt: number;
}

export function signCommand(key: string, { id, machine, sender, threadId, kind, body, sentAt }: Command): Buffer {
  return sign(key, ["command", id, machine, sender, threadId, kind, body, sentAt]);
}

export function signAnswer(key: string, commandId: string, answer: string): Buffer {
  return sign(key, ["answer", commandId, answer]);
}

export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/** As JSON the fields cannot run into each other. */
function sign(key: string, fields: readonly (string | number | null)[]): Buffer {
  return createHmac("sha256", key)
    .update(JSON.stringify(["signalbox", 1, ...fields]))
    .digest();
}
