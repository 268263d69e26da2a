// Hands out codes by which a device is paired: one at a time, for a short time, for one device. Wrong codes are counted.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { HostError } from "../data/host-error.ts";

/** Long enough to take a phone out of a pocket and to type its name. */
export const codeLifeMs = 5 * 60_000;
const maxWrong = 5;
const wrongWindowMs = 60_000;

export class Pairing {
  readonly #now: () => number;
  #open: { readonly hash: Buffer; readonly expiresAt: number } | null = null;
  /** The times of the latest wrong codes. */
  #wrong: readonly number[] = [];

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** A new code; the one before is worth nothing any more. */
  start(): { readonly code: string; readonly expiresAt: number } {
    const code = randomBytes(16).toString("base64url");
    const expiresAt = this.#now() + codeLifeMs;
    this.#open = { hash: hashCode(code), expiresAt };
    return { code, expiresAt };
  }

  /** Uses up the code. Throws when it is wrong, too old or used; after several wrong ones nothing is accepted for a while. */
  redeem(code: string): void {
    const now = this.#now();
    this.#wrong = this.#wrong.filter((time) => now - time < wrongWindowMs);
    if (this.#wrong.length >= maxWrong) {
      throw new HostError("rate_limited", "Too many wrong codes. Wait a minute, and make a new code.");
    }
    const open = this.#open;
    if (open !== null && now < open.expiresAt && timingSafeEqual(open.hash, hashCode(code))) {
      this.#open = null;
      return;
    }
    this.#wrong = [...this.#wrong, now];
    // A caller who guesses does not get a second round at the same code.
    if (this.#wrong.length >= maxWrong) this.#open = null;
    throw new HostError(
      "unauthorized",
      "This code is wrong, too old or was used. Make a new one in the settings of Signalbox, under Devices.",
    );
  }
}

function hashCode(code: string): Buffer {
  return createHash("sha256").update(code).digest();
}
