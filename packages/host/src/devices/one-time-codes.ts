// Makes codes that stand for a token: one at a time, for a short time, used once. A device is paired by one, and the browser on this machine opens
// the page by one. Codes are only in memory, so none is left after the host ended. Wrong codes are counted.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { HostError } from "../data/host-error.ts";

interface CodePurpose {
  readonly lifeMs: number;
  /** Tells a person how to get a new code. */
  readonly remedy: string;
}

/** Long enough to take a phone out of a pocket and to type its name. */
export const pairing: CodePurpose = {
  lifeMs: 5 * 60_000,
  remedy: "Make a new one in the settings of Signalbox, under Devices.",
};
/** Long enough for a browser to start. */
export const openingPage: CodePurpose = {
  lifeMs: 60_000,
  remedy: "Open the address that Signalbox printed when it started.",
};
const maxWrong = 5;
const wrongWindowMs = 60_000;

export class OneTimeCodes {
  readonly #purpose: CodePurpose;
  readonly #now: () => number;
  #open: { readonly hash: Buffer; readonly expiresAt: number } | null = null;
  /** The times of the latest wrong codes. */
  #wrong: readonly number[] = [];

  constructor(purpose: CodePurpose, now: () => number = Date.now) {
    this.#purpose = purpose;
    this.#now = now;
  }

  /** Makes a new code. The previous one is not accepted any more. */
  start(): { readonly code: string; readonly expiresAt: number } {
    const code = randomBytes(16).toString("base64url");
    const expiresAt = this.#now() + this.#purpose.lifeMs;
    this.#open = { hash: hashCode(code), expiresAt };
    return { code, expiresAt };
  }

  /** Uses up the code. Throws when it is wrong, too old or used; after several wrong ones nothing is accepted for a while. */
  redeem(code: string): void {
    const now = this.#now();
    this.#wrong = this.#wrong.filter((time) => now - time < wrongWindowMs);
    if (this.#wrong.length >= maxWrong) {
      throw new HostError("rate_limited", `Too many wrong codes. Wait a minute. ${this.#purpose.remedy}`);
    }
    const open = this.#open;
    if (open !== null && now < open.expiresAt && timingSafeEqual(open.hash, hashCode(code))) {
      this.#open = null;
      return;
    }
    this.#wrong = [...this.#wrong, now];
    // A caller who guesses does not get a second round at the same code.
    if (this.#wrong.length >= maxWrong) this.#open = null;
    throw new HostError("unauthorized", `This code is wrong, too old or was used. ${this.#purpose.remedy}`);
  }
}

function hashCode(code: string): Buffer {
  return createHash("sha256").update(code).digest();
}
