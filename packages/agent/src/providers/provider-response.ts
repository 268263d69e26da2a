// Makes an answer for the provider packages of what node:http received: what they use of a Response. The body flows as fast as it is read.
import type { IncomingMessage } from "node:http";
import { type Duplex, pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createUnzip } from "node:zlib";
import { PlainHeaders } from "./plain-headers.ts";
import { PlainReadable } from "./plain-streams.ts";
import { ProviderError } from "./provider-error.ts";

/** Chunks that wait for the reader before the connection is paused. */
const maxWaitingChunks = 16;
/** With one of these there is no body. */
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
  const body = bodiless.has(status) ? null : streamOf(decompressed(message), broken);
  if (body === null) message.resume();
  // The parts that are missing are used by no provider package for an answer to a model's request.
  return new ProviderResponse(status, statusText, new PlainHeaders(pairsOf(headers)), body) as unknown as Response;
}

class ProviderResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly headers: PlainHeaders;
  readonly body: PlainReadable<Uint8Array> | null;

  constructor(status: number, statusText: string, headers: PlainHeaders, body: PlainReadable<Uint8Array> | null) {
    this.ok = status >= 200 && status < 300;
    this.status = status;
    this.statusText = statusText;
    this.headers = headers;
    this.body = body;
  }

  async text(): Promise<string> {
    const chunks: Uint8Array[] = [];
    for await (const bytes of this.body ?? []) chunks.push(bytes);
    return Buffer.concat(chunks).toString("utf8");
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
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

function streamOf(source: Readable, broken: (error: Error) => Error): PlainReadable<Uint8Array> {
  return new PlainReadable(
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
