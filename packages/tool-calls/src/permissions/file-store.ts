// Remembers decisions in a text file that a person can read and edit, one per line: `allow read_file`, `reject bash`. The file is read for
// every question, so an edit counts immediately. It is replaced in one step, so a crash leaves the old or the new file.

import { randomBytes } from "node:crypto";
import { mkdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { SerialQueue } from "@signalbox/base";
import { type Log, logToStderr } from "../log.ts";
import type { PermissionStore, RememberedDecision } from "./store.ts";

const heading = `# Permissions that were answered with "always". One a line: allow or reject, then the tool.
# Edit freely: remove a line to be asked again. Reject wins over allow.
`;

type Line =
  | { readonly type: "decision"; readonly decision: RememberedDecision; readonly about: string }
  | { readonly type: "comment" }
  | { readonly type: "damaged" };

export class FilePermissionStore implements PermissionStore {
  readonly #path: string;
  readonly #log: Log;
  readonly #reported = new Set<string>();
  readonly #writing = new SerialQueue();

  constructor(path: string, log: Log = logToStderr) {
    this.#path = path;
    this.#log = log;
  }

  async get(about: string): Promise<RememberedDecision | undefined> {
    await this.#writing.finished();
    let found: RememberedDecision | undefined;
    for (const [index, text] of (await this.#lines()).entries()) {
      const line = parseLine(text);
      if (line.type === "damaged") this.#report(index + 1, text);
      if (line.type === "decision" && line.about === about && found !== "reject") found = line.decision;
    }
    return found;
  }

  /** Replaces what is remembered about this, and leaves every other line as it stands, comments and damaged lines included. */
  async set(about: string, decision: RememberedDecision): Promise<void> {
    await this.#writing.run(async () => {
      const kept = (await this.#lines()).filter((text) => {
        const line = parseLine(text);
        return line.type !== "decision" || line.about !== about;
      });
      await this.#replace(`${[...kept, formatLine(decision, about)].join("\n")}\n`);
    });
  }

  async #lines(): Promise<string[]> {
    let text = heading;
    try {
      text = await readFile(this.#path, "utf8");
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    return text.trimEnd() === "" ? [] : text.trimEnd().split(/\r?\n/);
  }

  async #replace(text: string): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true });
    // A link, as people have it in their dotfiles, stays one.
    const target = await realpath(this.#path).catch(() => this.#path);
    const temporary = `${target}.${randomBytes(6).toString("hex")}.tmp`;
    try {
      await writeFile(temporary, text, { flag: "wx", mode: 0o600, flush: true });
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  #report(number: number, text: string): void {
    if (this.#reported.has(text)) return;
    this.#reported.add(text);
    this.#log(
      `${this.#path}:${number} is ignored: expected "allow TOOL" or "reject TOOL", found ${JSON.stringify(text.slice(0, 80))}.`,
    );
  }
}

function parseLine(text: string): Line {
  const line = text.trim();
  if (line === "" || line.startsWith("#")) return { type: "comment" };
  const [, decision, about] = /^(allow|reject)\s+(\S.*)$/.exec(line) ?? [];
  if ((decision !== "allow" && decision !== "reject") || about === undefined) return { type: "damaged" };
  if (!about.startsWith('"')) return { type: "decision", decision, about };
  try {
    const name: unknown = JSON.parse(about);
    return typeof name === "string" ? { type: "decision", decision, about: name } : { type: "damaged" };
  } catch {
    return { type: "damaged" };
  }
}

/** Plain where that reads back the same, else quoted as JSON does it. */
function formatLine(decision: RememberedDecision, about: string): string {
  const plain = `${decision} ${about}`;
  const line = parseLine(plain);
  const readsBack = line.type === "decision" && line.about === about && !/[\r\n]/.test(about);
  return readsBack ? plain : `${decision} ${JSON.stringify(about)}`;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
