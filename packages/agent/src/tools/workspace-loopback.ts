// The loopback that the commands and MCP servers of a session share: the client's, where it has one for its terminals, else one of our own.
import { join } from "node:path";
import { type Enforcement, SessionLoopback } from "@signalbox/sandbox";

export class WorkspaceLoopback {
  readonly #folder: string;
  readonly #ofClient: string | undefined;
  #own: SessionLoopback | undefined;
  #isClosed = false;

  constructor(home: string, ofClient: string | undefined) {
    this.#folder = join(home, "run");
    this.#ofClient = ofClient;
  }

  /** Its socket; undefined where commands share none on this machine. Throws when it cannot be opened. */
  async open(enforcement: Enforcement): Promise<string | undefined> {
    if (this.#ofClient !== undefined || this.#isClosed) return this.#ofClient;
    this.#own ??= SessionLoopback.create(enforcement, this.#folder);
    return await this.#own?.open();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#own?.[Symbol.asyncDispose]();
  }
}
