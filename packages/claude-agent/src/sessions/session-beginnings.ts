// Stores which instruction files counted when a session began, because Claude Code's own record of a session does not: a session that is resumed must not
// obey files that it added to git itself.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProjectOrigin } from "@signalbox/agent-kit";

interface SessionOrigin {
  readonly cwd: string;
  readonly beginning: ProjectOrigin;
}

export class SessionBeginnings {
  readonly #folder: string;

  constructor(dataFolder: string) {
    this.#folder = join(dataFolder, "claude-sessions");
  }

  /** Undefined for a session that did not begin here, in this folder. */
  read(id: string, cwd: string): ProjectOrigin | undefined {
    try {
      const stored = JSON.parse(readFileSync(this.#file(id), "utf8")) as SessionOrigin; // written by `write`
      return stored.cwd === cwd ? stored.beginning : undefined;
    } catch {
      return undefined;
    }
  }

  /** Throws what the system throws: a session whose beginning is not known later must not begin. */
  write(id: string, stored: SessionOrigin): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeFileSync(this.#file(id), JSON.stringify(stored), { mode: 0o600 });
  }

  remove(id: string): void {
    rmSync(this.#file(id), { force: true });
  }

  #file(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}
