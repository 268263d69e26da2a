// What node:http received as the Response that the provider packages read: its body flows as fast as it is read.
import type { IncomingMessage } from "node:http";
import { type Duplex, pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createUnzip } from "node:zlib";
import { ProviderError } from "./provider-error.ts";

/** Pieces that may wait for whoever reads. */
const mostWaiting = 16;
/** For these there is no body, not even an empty one. */
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
  const body = bodiless.has(status) ? null : webStream(unpacked(message), broken);
  if (body === null) message.resume();
  return new Response(body, { status, statusText, headers: pairsOf(headers) });
}

/** Asked for or not, some gateways pack everything. */
function unpacked(message: IncomingMessage): Readable {
  const unpack = unpackerFor(message.headers["content-encoding"]);
  // What goes wrong on either side, whoever reads hears of.
  return unpack === undefined ? message : pipeline(message, unpack, () => {});
}

function unpackerFor(encoding: string | undefined): Duplex | undefined {
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
    { highWaterMark: mostWaiting },
  );
}

function pairsOf(headers: IncomingMessage["headers"]): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  );
}
