// Writes what an agent prints beside its messages into a file of the data folder: one file per agent, bounded, readable by its owner only,
// without the secrets of this host.
import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { redactText } from "@signalbox/tool-calls";

/** At this size the file becomes the older of two. */
const maxBytes = 1024 * 1024;

export class AgentLog {
  readonly path: string;
  readonly #threadId: string;
  readonly #secrets: readonly string[];
  #unfinishedLine = "";
  #isBroken = false;

  constructor(folder: string, agentId: string, threadId: string, secrets: readonly string[]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.path = join(folder, `${agentId.replaceAll(/[^\w.-]/g, "_")}.log`);
    this.#threadId = threadId;
    this.#secrets = secrets.filter((secret) => secret !== "");
  }

  write(text: string): void {
    const lines = (this.#unfinishedLine + text).split("\n");
    // A line without an end is written in parts: it must not grow in memory.
    const rest = lines.pop() ?? "";
    if (rest.length > maxBytes) lines.push(rest);
    this.#unfinishedLine = rest.length > maxBytes ? "" : rest;
    if (lines.length > 0) this.#append(lines);
  }

  /** Writes a line that has no end yet. */
  end(): void {
    if (this.#unfinishedLine !== "") this.#append([this.#unfinishedLine]);
    this.#unfinishedLine = "";
  }

  /** A log that cannot be written must not stop an agent. */
  #append(lines: readonly string[]): void {
    if (this.#isBroken) return;
    const head = `${new Date().toISOString()} ${this.#threadId} `;
    const text = lines.map((line) => `${head}${this.#redacted(line)}\n`).join("");
    try {
      // Other threads of the agent write the same file.
      const size = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
      if (size > 0 && size + text.length > maxBytes) renameSync(this.path, `${this.path}.1`);
      appendFileSync(this.path, text.slice(0, maxBytes), { mode: 0o600 });
    } catch {
      this.#isBroken = true;
    }
  }

  #redacted(line: string): string {
    return redactText(this.#secrets.reduce((text, secret) => text.replaceAll(secret, "***"), line));
  }
}
