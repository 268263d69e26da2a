// Runs the imports of a host one at a time, because two would write the same session twice, and none after the host stops.
import { HostError } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";
import type { ImportSource } from "./history-formats.ts";
import { HistoryReader } from "./history-reader.ts";
import { type ImportProgress, type ImportResult, importHistories } from "./import-histories.ts";

interface HistoryImportsOptions {
  readonly register: Register;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** The agents that can continue the sessions of each source. */
  readonly agentIds: Readonly<Record<ImportSource, string>>;
}

export class HistoryImports {
  readonly #options: HistoryImportsOptions;
  readonly #stopped = new AbortController();
  readonly #reader = new HistoryReader();
  #running: Promise<ImportResult> | null = null;

  constructor(options: HistoryImportsOptions) {
    this.#options = options;
  }

  async start(source: ImportSource, onProgress: (progress: ImportProgress) => void): Promise<ImportResult> {
    if (this.#running !== null) {
      throw new HostError("conflict", "An import is running already. Wait until it is done, then start the next one.");
    }
    const { agentIds, ...options } = this.#options;
    const { signal } = this.#stopped;
    const reader = this.#reader;
    this.#running = importHistories({ ...options, source, agentId: agentIds[source], reader, signal, onProgress });
    try {
      return await this.#running;
    } finally {
      await reader.close();
      this.#running = null;
    }
  }

  /** Must be called before the register is closed. The next import completes an interrupted session. */
  async stop(): Promise<void> {
    this.#stopped.abort(new HostError("unavailable", "Signalbox is stopping; start the import again afterwards."));
    await this.#running?.catch(() => {});
  }
}
