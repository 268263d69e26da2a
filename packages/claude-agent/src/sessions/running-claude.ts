// Runs one Claude Code process: messages go in and come out until it ends.
import { messageOf } from "@signalbox/tool-calls";
import type {
  ClaudeQuery,
  ClaudeSdk,
  PermissionMode,
  QueryOptions,
  SdkInitialization,
  SdkUserMessage,
} from "../sdk/sdk.ts";
import { CliProcess } from "./cli-process.ts";
import { deathError } from "./turn-end.ts";

export class RunningClaude {
  /** Resolves, with what to tell, when no more messages come. */
  readonly over: Promise<Error>;
  readonly #query: ClaudeQuery;
  readonly #process = new CliProcess();
  readonly #input = new MessageQueue();
  #isOver = false;

  /** `onMessage` gets everything that Claude Code says. */
  constructor(sdk: ClaudeSdk, options: QueryOptions, onMessage: (message: unknown) => void) {
    this.#query = sdk.query({
      prompt: this.#input,
      options: { ...options, spawnClaudeCodeProcess: (how) => this.#process.spawn(how) },
    });
    this.over = this.#pump(onMessage);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Returns what Claude Code knows before the first prompt: models, commands, the account. Rejects if it does not start. */
  async initialization(): Promise<SdkInitialization> {
    const death = this.over.then((error) => Promise.reject(error));
    const initialization = this.#query.initializationResult();
    // The loser of the race may still reject.
    initialization.catch(() => {});
    death.catch(() => {});
    return await Promise.race([initialization, death]);
  }

  send(message: SdkUserMessage): void {
    this.#input.push(message);
  }

  async interrupt(): Promise<void> {
    await this.#query.interrupt();
  }

  async setMode(mode: PermissionMode): Promise<void> {
    await this.#query.setPermissionMode(mode);
  }

  async setModel(model: string): Promise<void> {
    await this.#query.setModel(model);
  }

  /** Resolves when its process is gone. */
  async stop(): Promise<void> {
    this.#input.end();
    const stopped = this.#process.stop();
    this.#query.close();
    await stopped;
  }

  killNow(): void {
    this.#process.killNow();
  }

  async #pump(onMessage: (message: unknown) => void): Promise<Error> {
    let words = "its output ended";
    try {
      for await (const message of this.#query) onMessage(message);
    } catch (error) {
      words = messageOf(error);
    }
    this.#isOver = true;
    return deathError(this.#process.exit ?? words, this.#process.stderr || (this.#process.exit === null ? "" : words));
  }
}

/** Hands on pushed messages in order, as soon as they are asked for. */
class MessageQueue implements AsyncIterable<SdkUserMessage> {
  readonly #waiting: SdkUserMessage[] = [];
  #wake: () => void = () => {};
  #ended = false;

  push(message: SdkUserMessage): void {
    this.#waiting.push(message);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<SdkUserMessage> {
    while (!this.#ended) {
      const next = this.#waiting.shift();
      if (next !== undefined) yield next;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
