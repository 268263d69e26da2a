// Keeps the projects of the folders in which threads work. A project stays for a while after its last thread: the next one begins without a wait.
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@signalbox/protocol";
import { isWithin } from "@signalbox/rules";
import { findHelper } from "@signalbox/sandbox";
import { findGit } from "./git-process.ts";
import { Project, type ProjectOptions } from "./project.ts";
import { fingerprint, isHomeOrAbove } from "./repository.ts";
import { Store } from "./store.ts";

interface PooledProject {
  readonly project: Project;
  readonly opened: Promise<Project>;
  users: number;
  closing: NodeJS.Timeout | null;
}

/** A project in use; `release` when it is not needed any more. */
export interface ProjectUse {
  /** Rejects when the first checkpoint cannot be made. */
  readonly opened: Promise<Project>;
  release(): void;
}

/** Folders of the data folder in which threads work. */
const workFolders = ["workspace", "worktrees"];
const idleMs = 5 * 60_000;
/** Each is watched by a process, and the system has a limit for watches. */
const maxIdle = 8;

export class CheckpointPool {
  readonly #dataFolder: string;
  readonly #watching: Pick<ProjectOptions, "helper" | "promptScanMs">;
  readonly #projects = new Map<string, PooledProject>();

  constructor(
    dataFolder: string,
    watching: Pick<ProjectOptions, "helper" | "promptScanMs"> = { helper: findHelper() },
  ) {
    this.#dataFolder = dataFolder;
    this.#watching = watching;
  }

  /** Why there are no checkpoints in a folder; null when there are. */
  describeProblem(cwd: string, program: string | null = findGit()): string | null {
    if (program === null)
      return "git is not installed, and changes are kept with it. Install git and start Signalbox again.";
    let folder: string;
    try {
      folder = realpathSync(cwd);
    } catch (error) {
      return `The folder cannot be read: ${messageOf(error)}`;
    }
    if (isHomeOrAbove(folder))
      return "The folder is your home folder or one above it, which is too much to keep. Start threads in a project's folder.";
    if (this.#isOwnData(folder))
      return "The folder is Signalbox's data folder, where the checkpoints themselves are kept. Start threads in a project's folder.";
    return null;
  }

  use(cwd: string): ProjectUse {
    const folder = realpathSync(cwd);
    const pooled = this.#projects.get(folder) ?? this.#add(folder);
    this.#projects.delete(folder);
    this.#projects.set(folder, pooled);
    pooled.users++;
    if (pooled.closing !== null) clearTimeout(pooled.closing);
    pooled.closing = null;
    let isReleased = false;
    return {
      opened: pooled.opened,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        pooled.users--;
        if (pooled.users === 0) this.#closeOldestIdle();
        if (pooled.users === 0) pooled.closing = setTimeout(() => void this.#retire(folder, pooled), idleMs).unref();
      },
    };
  }

  /** The store of a folder, to read from; null when nothing was ever kept there. */
  findStore(cwd: string): Store | null {
    let folder = cwd;
    try {
      folder = realpathSync(cwd);
    } catch {
      // The folder is gone; what was kept of it is not.
    }
    return this.#projects.get(folder)?.project.storeIfOpen ?? Store.openExisting(this.#makeStorePath(folder));
  }

  close(): void {
    for (const [folder, pooled] of this.#projects) this.#remove(folder, pooled);
  }

  #isOwnData(folder: string): boolean {
    const own = existsSync(this.#dataFolder) ? realpathSync(this.#dataFolder) : this.#dataFolder;
    return isWithin(folder, own) && !workFolders.some((name) => isWithin(folder, join(own, name)));
  }

  #add(folder: string): PooledProject {
    const project = new Project({
      folder,
      storePath: this.#makeStorePath(folder),
      dataFolder: this.#dataFolder,
      ...this.#watching,
    });
    const opened = project.open().then(() => project);
    const pooled: PooledProject = { project, opened, users: 0, closing: null };
    // A folder that could not be kept may be kept when the next thread begins.
    opened.catch(() => this.#remove(folder, pooled));
    this.#projects.set(folder, pooled);
    return pooled;
  }

  /** Those that were used longest ago come first. */
  #closeOldestIdle(): void {
    const idle = [...this.#projects].filter(([, { users }]) => users === 0);
    for (const [folder, pooled] of idle.slice(0, Math.max(0, idle.length - maxIdle))) this.#remove(folder, pooled);
  }

  /** Cleans the store of a folder in which no thread works, and lets go of it. */
  async #retire(folder: string, pooled: PooledProject): Promise<void> {
    try {
      const { cleanStore } = await import("./clean-store.ts");
      await pooled.project.runInTurn(async (now) => {
        // A thread may begin meanwhile, and goes on from here.
        await now("refs/checkpoints/current");
        await cleanStore(pooled.project.store);
      });
    } catch {
      // It is cleaned the next time.
    }
    if (pooled.users === 0) this.#remove(folder, pooled);
  }

  #remove(folder: string, pooled: PooledProject): void {
    if (pooled.closing !== null) clearTimeout(pooled.closing);
    pooled.project.close();
    if (this.#projects.get(folder) === pooled) this.#projects.delete(folder);
  }

  #makeStorePath(folder: string): string {
    return join(this.#dataFolder, "checkpoints", fingerprint(folder));
  }
}
