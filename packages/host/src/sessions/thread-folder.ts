// Accompanies the turns of a thread in its folder: sets up a new worktree before the first prompt, keeps the folder before and after each turn,
// and records what git says of it.

import { recordGitState, TurnCheckpoints } from "@signalbox/checkpoints";
import type { ThreadRow } from "@signalbox/protocol";
import { settleAside } from "./aside-settings.ts";
import { hasTurns } from "./known-prompts.ts";
import type { SessionServices } from "./session-services.ts";

type Services = Pick<SessionServices, "register" | "checkpoints" | "gitStates">;

export class ThreadFolder {
  readonly #services: Services;
  readonly #thread: ThreadRow;
  readonly #checkpoints: TurnCheckpoints;
  /** The command that makes the worktree ready; null when that is done, or there is none. */
  #setup: string | null;

  private constructor(services: Services, thread: ThreadRow, setup: string | null) {
    this.#services = services;
    this.#thread = thread;
    this.#checkpoints = new TurnCheckpoints(services.register, services.checkpoints, thread);
    this.#setup = setup;
    void this.#recordGit();
  }

  /** `setup`: the command that makes a new worktree ready; it runs once, before the first turn of a thread that has a worktree. */
  static async open(services: Services, thread: ThreadRow, setup: string | undefined): Promise<ThreadFolder> {
    const isNew =
      thread.git?.worktree !== undefined && setup !== undefined && !(await hasTurns(services.register, thread.id));
    return new ThreadFolder(services, thread, isNew ? setup : null);
  }

  /** Before a prompt goes out. */
  async before(turnId: string, client: { runConfigured(line: string): Promise<void> }): Promise<void> {
    const setup = this.#setup;
    this.#setup = null;
    if (setup !== null) await client.runConfigured(setup);
    await this.#checkpoints.keepTurnStart(turnId);
  }

  /** Before the end of a turn is recorded. */
  async after(turnId: string): Promise<void> {
    settleAside(this.#thread);
    await Promise.all([this.#checkpoints.keepTurnEnd(turnId), this.#recordGit()]);
  }

  close(): void {
    this.#checkpoints.close();
  }

  async #recordGit(): Promise<void> {
    try {
      await recordGitState(this.#services, this.#thread.id);
    } catch {
      // The row says that it is not known.
    }
  }
}
