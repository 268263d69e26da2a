// Writes what an agent prints beside its messages into a file of the data folder: one file per agent, bounded, readable by its owner only,
// without the secrets of this host. Of a flood only the beginning is written, so that it costs the host little.
import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { redactText } from "@signalbox/tool-calls";

/** At this size the file becomes the older of two. */
const maxBytes = 1024 * 1024;
/** Lines are collected for so long, and at most so much of them. */
const collectMs = 100;
const maxCollected = 64 * 1024;
/** Of a longer line only the beginning says something. */
const maxLineLength = 8 * 1024;

export class AgentLog {
  readonly path: string;
  readonly #threadId: string;
  readonly #secrets: readonly string[];
  #unfinishedLine = "";
  #collected: string[] = [];
  #collectedLength = 0;
  #leftOut = 0;
  #timer: NodeJS.Timeout | undefined;
  #isBroken = false;

  constructor(folder: string, agentId: string, threadId: string, secrets: readonly string[]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.path = join(folder, `${agentId.replaceAll(/[^\w.-]/g, "_")}.log`);
    this.#threadId = threadId;
    this.#secrets = secrets.filter((secret) => secret !== "");
  }

  write(text: string): void {
    const lines = (this.#unfinishedLine + text).split("\n");
    // Of a line without an end the beginning is kept: it must not grow in memory.
    this.#unfinishedLine = (lines.pop() ?? "").slice(0, 2 * maxLineLength);
    for (const line of lines) this.#collect(line);
  }

  /** Writes everything, also a line that has no end yet. */
  end(): void {
    if (this.#unfinishedLine !== "") this.#collect(this.#unfinishedLine);
    this.#unfinishedLine = "";
    this.#flush();
  }

  #collect(line: string): void {
    this.#timer ??= setTimeout(() => this.#flush(), collectMs).unref();
    if (this.#collectedLength >= maxCollected) {
      this.#leftOut++;
      return;
    }
    // Redacted before it is truncated: half a secret would not be found any more.
    const safe = this.#redactLine(line.slice(0, 2 * maxLineLength));
    const shown = safe.length > maxLineLength ? `${safe.slice(0, maxLineLength)}… [the line goes on]` : safe;
    this.#collected.push(shown);
    this.#collectedLength += shown.length + 1;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#collected;
    if (this.#leftOut > 0) lines.push(`[${this.#leftOut} more lines came in the same moment and are not kept]`);
    this.#collected = [];
    this.#collectedLength = 0;
    this.#leftOut = 0;
    if (lines.length > 0) this.#append(lines);
  }

  /** A log that cannot be written must not stop an agent. */
  #append(lines: readonly string[]): void {
    if (this.#isBroken) return;
    const head = `${new Date().toISOString()} ${this.#threadId} `;
    const text = lines.map((line) => `${head}${line}\n`).join("");
    try {
      // Other threads of the agent write the same file.
      const size = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
      if (size > 0 && size + text.length > maxBytes) renameSync(this.path, `${this.path}.1`);
      appendFileSync(this.path, text.slice(0, maxBytes), { mode: 0o600 });
    } catch {
      this.#isBroken = true;
    }
  }

  #redactLine(line: string): string {
    return redactText(this.#secrets.reduce((text, secret) => text.replaceAll(secret, "***"), line));
  }
}
