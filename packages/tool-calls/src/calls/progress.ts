// Reports progress as MCP does. ACP has no field for it: it is shown in the title and, structured, in `_meta`.
import { titleText } from "../describe/title-text.ts";
import { displayName } from "../describe/tool-name.ts";

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Where a client finds the structured progress in `_meta`. */
export const progressMetaKey = "signalbox/progress";

/** Milliseconds between two reports: at most ten a second. */
const interval = 100;
const maxMessageLength = 100;

/** `name [50/100] - message`; without a total `name [50]`. The `secrets` are hidden if the message has them. */
export function progressTitle(name: string, report: Progress, secrets: readonly string[] = []): string {
  const { progress, total, message } = report;
  const text = message === undefined ? "" : titleText(message, maxMessageLength, secrets);
  return `${titleText(displayName(name), maxMessageLength)} [${progress}${total === undefined ? "" : `/${total}`}]${text && ` - ${text}`}`;
}

/** A report as MCP servers send it; undefined when it holds no number. */
export function readProgress(progress: number, total?: number | null, message?: string | null): Progress | undefined {
  if (!Number.isFinite(progress)) return undefined;
  return {
    progress,
    // A total of 0 comes from servers that do not know it yet.
    ...(typeof total === "number" && Number.isFinite(total) && total > 0 ? { total } : {}),
    ...(typeof message === "string" && message !== "" ? { message } : {}),
  };
}

/** Lets the first report through immediately, then at most ten a second, always the newest; `end` lets the last one through. */
export class ProgressThrottle {
  readonly #send: (progress: Progress) => void;
  #sentAt = Number.NEGATIVE_INFINITY;
  #held: Progress | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (progress: Progress) => void) {
    this.#send = send;
  }

  report(progress: Progress): void {
    this.#held = progress;
    if (this.#timer !== undefined) return;
    const wait = this.#sentAt + interval - performance.now();
    if (wait <= 0) this.#sendHeld();
    else this.#timer = setTimeout(() => this.#sendHeld(), wait).unref();
  }

  end(): void {
    this.#sendHeld();
  }

  #sendHeld(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    this.#sentAt = performance.now();
    this.#send(held);
  }
}
