// The streams of ours beside the built-in ones: what the provider packages do with them has the same result.
import { setImmediate as turnOfLoop } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { PlainReadable, PlainTextDecoder, PlainTransform } from "./plain-streams.ts";

interface Streams {
  readonly Readable: typeof ReadableStream;
  readonly Transform: typeof TransformStream;
  readonly Decoder: typeof TextDecoderStream;
}

const builtIn: Streams = { Readable: ReadableStream, Transform: TransformStream, Decoder: TextDecoderStream };
const ours = { Readable: PlainReadable, Transform: PlainTransform, Decoder: PlainTextDecoder } as unknown as Streams;

const letters = ({ Readable }: Streams, ...pieces: string[]): ReadableStream<string> =>
  new Readable<string>({
    pull(controller) {
      const next = pieces.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(next);
    },
  });

async function all<T>(stream: ReadableStream<T>): Promise<unknown> {
  const read: T[] = [];
  try {
    for await (const piece of stream) read.push(piece);
    return read;
  } catch (error) {
    return [...read, error];
  }
}

const scenes: Readonly<Record<string, (streams: Streams) => Promise<unknown>>> = {
  "pieces in order": (streams) => all(letters(streams, "a", "b", "c")),
  "a letter whose bytes came apart, and one that is not whole": (streams) => {
    const bytes = [...Buffer.from("aé€😀"), 0xe2, 0x82].map((byte) => Uint8Array.of(byte));
    const stream = new streams.Readable({
      start(controller) {
        for (const each of bytes) controller.enqueue(each);
        controller.close();
      },
    });
    return all(stream.pipeThrough(new streams.Decoder() as ReadableWritablePair<string, Uint8Array>));
  },
  "none, one and many pieces of one, now and later, and one at the end": async (streams) => {
    const stage = new streams.Transform<string, string>({
      start: (controller) => controller.enqueue("start"),
      async transform(piece, controller) {
        if (piece === "b") return;
        controller.enqueue(piece);
        await turnOfLoop();
        controller.enqueue(`${piece} later`);
      },
      flush: (controller) => controller.enqueue("end"),
    });
    return await all(letters(streams, "a", "b", "c").pipeThrough(stage).pipeThrough(new streams.Transform()));
  },
  "an error of a stage": (streams) =>
    all(
      letters(streams, "a", "b", "c").pipeThrough(
        new streams.Transform<string, string>({
          transform(piece, controller) {
            if (piece === "b") throw new Error("no b");
            controller.enqueue(piece);
          },
        }),
      ),
    ),
  "an error of the source, after stages": (streams) => {
    let pulled = 0;
    const stream = new streams.Readable<string>({
      async pull(controller) {
        await turnOfLoop();
        if (pulled++ === 0) controller.enqueue("a");
        else controller.error(new Error("broken"));
      },
    });
    return all(stream.pipeThrough(new streams.Transform()).pipeThrough(new streams.Transform()));
  },
  "a stage that ends early": async (streams) => {
    let cancelled = false;
    const source = new streams.Readable<string>({
      pull: (controller) => controller.enqueue("a"),
      cancel: () => {
        cancelled = true;
      },
    });
    const read = await all(
      source.pipeThrough(
        new streams.Transform<string, string>({
          transform(piece, controller) {
            controller.enqueue(piece);
            controller.terminate();
          },
        }),
      ),
    );
    await turnOfLoop();
    return { read, cancelled };
  },
  "two readers of one stream, one of which leaves after a piece": async (streams) => {
    const [first, second] = letters(streams, "a", "b", "c").tee();
    const reader = first.getReader();
    const one = await reader.read();
    reader.cancel().catch(() => {});
    reader.releaseLock();
    return [one, await all(second)];
  },
  "two readers that read at the same time": async (streams) =>
    await Promise.all(letters(streams, "a", "b", "c").tee().map(all)),
  "two readers of a stream that breaks": async (streams) => {
    const broken = new streams.Readable<string>({
      pull: () => Promise.reject(new Error("broken")),
    });
    return await Promise.all(broken.tee().map(all));
  },
  "a read that waits when the reader is cancelled, and its source": async (streams) => {
    const reasons: unknown[] = [];
    const source = new streams.Readable<string>({ cancel: (reason) => void reasons.push(reason) });
    const reader = source.pipeThrough(new streams.Transform()).getReader();
    const waiting = reader.read();
    await reader.cancel("enough");
    return { waiting: await waiting, after: await reader.read(), reasons };
  },
  "several reads before anything is there": async (streams) => {
    let push: (piece: string) => void = () => {};
    const reader = new streams.Readable<string>({
      start: (controller) => {
        push = (piece) => controller.enqueue(piece);
      },
    }).getReader();
    const reads = [reader.read(), reader.read()];
    push("a");
    push("b");
    return await Promise.all(reads);
  },
  "several reads of a source that has a piece for each": async (streams) => {
    const reader = letters(streams, "a", "b").getReader();
    return await Promise.all([reader.read(), reader.read(), reader.read()]);
  },
  "what is not allowed": async (streams) => {
    const stream = letters(streams, "a");
    const reader = stream.getReader();
    const refused = (work: () => unknown) =>
      Promise.resolve()
        .then(work)
        .then(
          () => "taken",
          (error: Error) => error.name,
        );
    const twice = await refused(() => stream.getReader());
    const cancelled = await refused(() => stream.cancel());
    reader.releaseLock();
    return [twice, cancelled, await refused(() => reader.read()), await all(stream)];
  },
};

describe("streams for the provider packages agree with the built-in ones about", () => {
  it.each(Object.entries(scenes))("%s", async (_, scene) => {
    expect(await scene(ours)).toEqual(await scene(builtIn));
  });
});

it("a stage of Node's takes what ours has", async () => {
  const stream = letters(ours, "a", "b").pipeThrough(new TransformStream<string, string>());
  expect(await all(stream)).toEqual(["a", "b"]);
});

it("does not read ahead of its reader, but for as many pieces as it was told", async () => {
  let pulled = 0;
  const count = (highWaterMark?: number) =>
    new PlainReadable<number>(
      { pull: (controller) => controller.enqueue(pulled++) },
      highWaterMark === undefined ? {} : { highWaterMark },
    );
  await count().pipeThrough(new PlainTransform()).getReader().read();
  expect(pulled).toBe(1);
  pulled = 0;
  const ahead = count(3);
  await ahead.read();
  await turnOfLoop();
  expect([pulled, ahead.desiredSize]).toEqual([4, 0]);
});
