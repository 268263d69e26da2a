// Streams for the provider packages with the names of the built-in ones and what those packages use of them. The built-in ones take a dozen promises
// for each piece in each of the six stages that an answer passes. The bundle gives ours to the packages (scripts/setup/bundle-program.mjs).

interface Source<T> {
  start?(controller: PlainReadable<T>): void;
  pull?(controller: PlainReadable<T>): unknown;
  cancel?(reason: unknown): unknown;
}

interface Strategy {
  /** Pieces that are fetched before they are asked for. */
  readonly highWaterMark?: number;
}

type Read<T> = { readonly done: false; readonly value: T } | { readonly done: true; readonly value: undefined };
type Waiting<T> = Pick<PromiseWithResolvers<Read<T>>, "resolve" | "reject">;

const ended = { done: true, value: undefined } as const;

/** In the place of `ReadableStream`, and its own controller. */
export class PlainReadable<T> {
  locked = false;
  readonly #source: Source<T>;
  readonly #highWaterMark: number;
  #queue: T[] = [];
  #waiting: Waiting<T>[] = [];
  #state: "open" | "closing" | "closed" | "failed" = "open";
  #error: unknown;
  #isPulling = false;
  #pullsAgain = false;

  constructor(source: Source<T> = {}, { highWaterMark = 0 }: Strategy = {}) {
    this.#source = source;
    this.#highWaterMark = highWaterMark;
    source.start?.(this);
  }

  get desiredSize(): number | null {
    return this.#state === "failed" ? null : this.#highWaterMark - this.#queue.length;
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** What comes after the end is dropped: the reader has left. */
  enqueue(value: T): void {
    if (this.#state !== "open") return;
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#queue.push(value);
    else waiting.resolve({ done: false, value });
    this.#pullIfWanted();
  }

  /** What is queued can still be read. */
  close(): void {
    if (this.#state !== "open") return;
    this.#state = this.#queue.length > 0 ? "closing" : "closed";
    for (const { resolve } of this.#waiting.splice(0)) resolve(ended);
  }

  error(error: unknown): void {
    if (this.#state !== "open" && this.#state !== "closing") return;
    this.#state = "failed";
    this.#error = error;
    this.#queue = [];
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  /** The next piece if it is there already, without a promise. */
  readNow(): Read<T> | undefined {
    if (this.#queue.length === 0) return this.#state === "closed" ? ended : undefined;
    const value = this.#queue.shift() as T;
    if (this.#queue.length === 0 && this.#state === "closing") this.#state = "closed";
    this.#pullIfWanted();
    return { done: false, value };
  }

  read(): Promise<Read<T>> {
    const there = this.readNow();
    if (there !== undefined) return Promise.resolve(there);
    if (this.#state === "failed") return Promise.reject(this.#error);
    const { promise, resolve, reject } = Promise.withResolvers<Read<T>>();
    this.#waiting.push({ resolve, reject });
    this.#pullIfWanted();
    return promise;
  }

  getReader(): PlainReader<T> {
    return new PlainReader(this);
  }

  async cancel(reason?: unknown): Promise<void> {
    if (this.locked) throw new TypeError("The stream has a reader; cancel that.");
    await this.stop(reason);
  }

  /** For its reader. */
  async stop(reason: unknown): Promise<void> {
    if (this.#state === "failed") throw this.#error;
    if (this.#state === "closed") return;
    this.#queue = [];
    this.#state = "open";
    this.close();
    await this.#source.cancel?.(reason);
  }

  pipeThrough<R>(stage: PlainTransform<T, R>): PlainReadable<R>;
  pipeThrough<R>(stage: ReadableWritablePair<R, T>): ReadableStream<R>;
  pipeThrough<R>(stage: PlainTransform<T, R> | ReadableWritablePair<R, T>): PlainReadable<R> | ReadableStream<R> {
    return stage instanceof PlainTransform ? stage.after(this) : ReadableStream.from(this).pipeThrough(stage);
  }

  /** Two streams with all that this one has. It ends when both are cancelled. */
  tee(): [PlainReadable<T>, PlainReadable<T>] {
    const reader = this.getReader();
    const open = new Set<PlainReadable<T>>();
    let reading: Promise<void> | undefined;
    const readOne = async () => {
      try {
        const { done, value } = await reader.read();
        reading = undefined;
        for (const branch of open) {
          if (done) branch.close();
          else branch.enqueue(value);
        }
      } catch (error) {
        for (const branch of open) branch.error(error);
      }
    };
    const branch = () => {
      const made: PlainReadable<T> = new PlainReadable({
        pull: () => (reading ??= readOne()),
        cancel: async (reason) => {
          open.delete(made);
          if (open.size === 0) await reader.cancel(reason);
        },
      });
      open.add(made);
      return made;
    };
    return [branch(), branch()];
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const reader = this.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        yield value;
      }
    } finally {
      await reader.cancel().catch(() => {});
      reader.releaseLock();
    }
  }

  get #isWanted(): boolean {
    return this.#state === "open" && (this.#waiting.length > 0 || this.#queue.length < this.#highWaterMark);
  }

  #pullIfWanted(): void {
    if (this.#isPulling) {
      this.#pullsAgain = true;
      return;
    }
    this.#pullsAgain = true;
    try {
      while (this.#pullsAgain && this.#isWanted) {
        this.#isPulling = true;
        this.#pullsAgain = false;
        const pulled = this.#source.pull?.(this);
        if (pulled instanceof Promise) {
          pulled.then(this.#pulled, this.#pullFailed);
          return;
        }
        this.#isPulling = false;
      }
    } catch (error) {
      this.#pullFailed(error);
    }
  }

  readonly #pulled = () => {
    this.#isPulling = false;
    if (this.#pullsAgain) this.#pullIfWanted();
  };

  readonly #pullFailed = (error: unknown) => {
    this.#isPulling = false;
    this.error(error);
  };
}

export class PlainReader<T> {
  #stream: PlainReadable<T> | undefined;

  constructor(stream: PlainReadable<T>) {
    if (stream.locked) throw new TypeError("The stream has a reader already.");
    stream.locked = true;
    this.#stream = stream;
  }

  read(): Promise<Read<T>> {
    return this.#stream?.read() ?? Promise.reject(released());
  }

  /** A read that waits is answered with the end. */
  cancel(reason?: unknown): Promise<void> {
    return this.#stream?.stop(reason) ?? Promise.reject(released());
  }

  releaseLock(): void {
    if (this.#stream !== undefined) this.#stream.locked = false;
    this.#stream = undefined;
  }
}

function released(): TypeError {
  return new TypeError("The reader has released its stream.");
}

interface Transformer<T, R> {
  start?(controller: TransformController<R>): unknown;
  transform?(value: T, controller: TransformController<R>): unknown;
  flush?(controller: TransformController<R>): unknown;
}

interface TransformController<R> {
  readonly desiredSize: number | null;
  enqueue(value: R): void;
  error(error: unknown): void;
  terminate(): void;
}

/** In the place of `TransformStream`, for `pipeThrough` alone: nothing can be written to it by hand. */
export class PlainTransform<T, R> {
  readonly #transformer: Transformer<T, R>;
  readonly #controller: TransformController<R>;
  readonly #readable: PlainReadable<R>;
  #source: PlainReadable<T> | undefined;
  /** How many pieces it has made. */
  #made = 0;

  constructor(transformer: Transformer<T, R> = {}) {
    this.#transformer = transformer;
    const readable = new PlainReadable<R>({
      pull: () => this.#makeOne(),
      cancel: (reason) => this.#source?.stop(reason),
    });
    this.#readable = readable;
    const leave = (reason: unknown) => void this.#source?.stop(reason).catch(() => {});
    this.#controller = {
      get desiredSize() {
        return readable.desiredSize;
      },
      enqueue: (value) => {
        this.#made++;
        readable.enqueue(value);
      },
      error: (error) => {
        readable.error(error);
        leave(error);
      },
      terminate: () => {
        readable.close();
        leave(undefined);
      },
    };
    transformer.start?.(this.#controller);
  }

  /** What it makes of this stream. */
  after(source: PlainReadable<T>): PlainReadable<R> {
    if (source.locked) throw new TypeError("The stream has a reader already.");
    source.locked = true;
    this.#source = source;
    return this.#readable;
  }

  async #makeOne(): Promise<void> {
    const before = this.#made;
    const source = this.#source;
    if (source === undefined) return;
    try {
      while (this.#made === before && this.#readable.isOpen) {
        const { done, value } = source.readNow() ?? (await source.read());
        if (done) {
          await this.#transformer.flush?.(this.#controller);
          this.#readable.close();
          return;
        }
        const work = this.#transform(value);
        if (work !== undefined) await work;
      }
    } catch (error) {
      this.#controller.error(error);
    }
  }

  #transform(value: T): Promise<void> | undefined {
    const made = this.#transformer.transform?.(value, this.#controller);
    if (this.#transformer.transform === undefined) this.#controller.enqueue(value as unknown as R);
    return made instanceof Promise ? made : undefined;
  }
}

/** In the place of `TextDecoderStream`, for UTF-8. */
export class PlainTextDecoder extends PlainTransform<Uint8Array, string> {
  constructor() {
    const decoder = new TextDecoder();
    super({
      transform(bytes, controller) {
        const text = decoder.decode(bytes, { stream: true });
        if (text !== "") controller.enqueue(text);
      },
      flush(controller) {
        const text = decoder.decode();
        if (text !== "") controller.enqueue(text);
      },
    });
  }
}
