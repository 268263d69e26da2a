// Gives one client the events of a thread's log in order, each exactly once: first what it misses, then what is committed. A client that reads
// slowly gets no more until it has caught up, and what it missed is then read from the log.
import { guard } from "@signalbox/base";
import type { LogEvent, Register } from "@signalbox/tinyvex";
import type { Outlet } from "./acp-services.ts";

interface LogFeedOptions {
  readonly register: Pick<Register, "followLog" | "readSent">;
  readonly threadId: string;
  /** The client has everything up to this seq. */
  readonly afterSeq: number;
  readonly outlet: Outlet;
  readonly onEvent: (event: LogEvent) => void;
  /** The log cannot be read, or an event cannot be passed on: the thread is gone, or the register fails. */
  readonly onLost: (error: unknown) => void;
}

type State = "reading" | "following" | "ended";

const eventsPerPage = 50;

export class LogFeed {
  readonly #options: LogFeedOptions;
  readonly #unfollow: () => void;
  #state: State = "reading";
  #seq: number;
  /** Something was committed while the log was read. */
  #hasNews = false;

  constructor(options: LogFeedOptions) {
    this.#options = options;
    this.#seq = options.afterSeq;
    this.#unfollow = options.register.followLog(
      options.threadId,
      guard(
        (error) => this.#lose(error),
        (events: readonly LogEvent[]) => this.#receive(events),
      ),
    );
  }

  get seq(): number {
    return this.#seq;
  }

  /** Gives what is in the log, then follows. Resolves when the client has everything that was there; also when the feed was ended. */
  async start(): Promise<void> {
    try {
      await this.#read();
    } catch (error) {
      this.#lose(error);
    }
  }

  #lose(error: unknown): void {
    this.end();
    this.#options.onLost(error);
  }

  end(): void {
    this.#state = "ended";
    this.#unfollow();
  }

  async #read(): Promise<void> {
    const { register, threadId, outlet } = this.#options;
    for (;;) {
      this.#hasNews = false;
      const events = await register.readSent(threadId, this.#seq, eventsPerPage);
      for (const event of events) {
        if (this.#hasEnded) return;
        this.#deliver(event);
      }
      if (this.#hasEnded) return;
      if (outlet.isFull) await new Promise<void>((resolve) => outlet.onceDrained(resolve));
      else if (events.length === 0 && !this.#hasNews) break;
    }
    this.#state = "following";
  }

  #receive(events: readonly LogEvent[]): void {
    if (this.#state === "reading") this.#hasNews = true;
    for (const event of events) {
      if (this.#state !== "following") return;
      if (event.seq <= this.#seq) continue;
      if (event.seq > this.#seq + 1 || event.sent === null || this.#options.outlet.isFull) {
        this.#state = "reading";
        void this.start();
      } else this.#deliver(event);
    }
  }

  #deliver(event: LogEvent): void {
    this.#seq = event.seq;
    this.#options.onEvent(event);
  }

  /** `onEvent` and a wait may have ended it. */
  get #hasEnded(): boolean {
    return this.#state === "ended";
  }
}
