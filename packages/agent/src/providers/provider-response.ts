// Converts an answer that node:http received into the Response that provider packages expect. The body flows as fast as it is read.
import type { IncomingMessage } from "node:http";
import { type Duplex, pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createUnzip } from "node:zlib";
import { ProviderError } from "./provider-error.ts";

/** Chunks that wait for the reader before the connection is paused. */
const maxWaitingChunks = 16;
/** A Response with one of these has no body. */
const bodilessStatuses: ReadonlySet<number> = new Set([204, 205, 304]);

export function createResponse(message: IncomingMessage, provider: string): Response {
  const { statusCode: status = 0, statusMessage: statusText = "" } = message;
  if (status < 200 || status > 599) {
    throw new ProviderError("broken_stream", `${provider} answered ${status}, which is not an HTTP status.`);
  }
  const headers = readHeaders(message);
  if (bodilessStatuses.has(status)) {
    message.resume();
    return new Response(null, { status, statusText, headers });
  }
  const explain = (error: Error) =>
    error instanceof ProviderError
      ? error
      : new ProviderError("broken_stream", `The answer of ${provider} broke off: ${error.message}`);
  return new Response(createBody(decompress(message), explain), { status, statusText, headers });
}

function readHeaders(message: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(message.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  return headers;
}

/** Some gateways compress even when asked not to. */
function decompress(message: IncomingMessage): Readable {
  const decoder = createDecoder(message.headers["content-encoding"]);
  // The reader gets the errors of both sides.
  return decoder === undefined ? message : pipeline(message, decoder, () => {});
}

function createDecoder(encoding: string | undefined): Duplex | undefined {
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

function createBody(source: Readable, explain: (error: Error) => Error): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      start(controller) {
        source.on("data", (bytes: Uint8Array) => {
          controller.enqueue(bytes);
          if ((controller.desiredSize ?? 0) <= 0) source.pause();
        });
        source.on("end", () => controller.close());
        source.on("error", (error) => controller.error(explain(error)));
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
