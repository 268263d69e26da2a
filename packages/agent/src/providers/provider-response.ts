// Makes a Response of what node:http received. The body flows as fast as it is read.
import type { IncomingMessage } from "node:http";
import { type Duplex, pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createUnzip } from "node:zlib";
import { ProviderError } from "./provider-error.ts";

/** Chunks that wait for the reader before the connection is paused. */
const maxWaitingChunks = 16;
/** A Response with one of these may have no body, not even an empty one. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

export function responseOf(message: IncomingMessage, provider: string): Response {
  const { statusCode: status = 0, statusMessage: statusText = "", headers } = message;
  if (status < 200 || status > 599) {
    throw new ProviderError("broken_stream", `${provider} answered ${status}, which is no answer.`);
  }
  const broken = (error: Error) =>
    error instanceof ProviderError
      ? error
      : new ProviderError("broken_stream", `The answer of ${provider} broke off: ${error.message}`);
  const body = bodiless.has(status) ? null : webStream(decompressed(message), broken);
  if (body === null) message.resume();
  return new Response(body, { status, statusText, headers: pairsOf(headers) });
}

/** Some gateways compress also when they are asked not to. */
function decompressed(message: IncomingMessage): Readable {
  const decoder = decoderFor(message.headers["content-encoding"]);
  // The reader gets the errors of both sides.
  return decoder === undefined ? message : pipeline(message, decoder, () => {});
}

function decoderFor(encoding: string | undefined): Duplex | undefined {
  switch (encoding) {
    case "gzip":
    case "deflate":
      return createUnzip();
    case "br":
      return createBrotliDecompress();
    default:
      return undefined;
  }
}

function webStream(source: Readable, broken: (error: Error) => Error): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      start(controller) {
        source.on("data", (bytes: Uint8Array) => {
          controller.enqueue(bytes);
          if ((controller.desiredSize ?? 0) <= 0) source.pause();
        });
        source.on("end", () => controller.close());
        source.on("error", (error) => controller.error(broken(error)));
      },
      pull() {
        source.resume();
      },
      cancel() {
        source.destroy();
      },
    },
    { highWaterMark: maxWaitingChunks },
  );
}

function pairsOf(headers: IncomingMessage["headers"]): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  );
}
