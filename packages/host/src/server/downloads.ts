// Serves blobs by range, and a whole thread as a file, to a caller with the token.
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { HttpBindings } from "@hono/node-server";
import { RegisterError } from "@signalbox/tinyvex";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { Refusal } from "./access.ts";
import type { HostServices } from "./host-services.ts";
import { yieldInTurns } from "./yield-in-turns.ts";

interface NodeBindings {
  Bindings: HttpBindings;
}

/** One piece of a blob in memory at a time. */
const pieceBytes = 1024 * 1024;

/** Each route calls `refuse` itself: a check by path could be avoided, because one path can be written in many ways. */
export function createDownloadRoutes(
  { threads }: Pick<HostServices, "threads">,
  refuse: (request: IncomingMessage) => Refusal | null,
): Hono<NodeBindings> {
  const app = new Hono<NodeBindings>();
  const passToken: MiddlewareHandler<NodeBindings> = async (context, next) => {
    const refusal = refuse(context.env.incoming);
    return refusal === null ? await next() : context.text(`${refusal.reason}\n`, refusal.status);
  };
  app.get("/blobs/:hash", passToken, async (context) => {
    const hash = context.req.param("hash");
    const size = await readSize(hash);
    if (size === null) return context.text("There is no such blob.", 404);
    const range = parseRange(context.req.header("range"), size);
    if (range === "unsatisfiable") {
      return context.body(null, 416, { "Content-Range": `bytes */${size}` });
    }
    const { start, end } = range ?? { start: 0, end: size };
    const headers = {
      // Never as a page: a blob is content that an agent sent.
      "Content-Type": "application/octet-stream",
      "Content-Disposition": "attachment",
      "Content-Length": String(end - start),
      "Accept-Ranges": "bytes",
      "Cache-Control": "private, max-age=31536000, immutable",
      ...(range === null ? {} : { "Content-Range": `bytes ${start}-${end - 1}/${size}` }),
    };
    return stream(context, readPieces(hash, start, end), range === null ? 200 : 206, headers);
  });

  app.get("/export/:thread", passToken, async (context) => {
    // Loaded when it is used: a host that starts needs no reports.
    const { exportFormats, exportMediaTypes, exportThread } = await import("@signalbox/reports/export-thread");
    const format = exportFormats.find((candidate) => candidate === (context.req.query("format") ?? "md"));
    if (format === undefined) return context.text(`The format is one of ${exportFormats.join(", ")}.`, 400);
    const thread = await threads.getThread(context.req.param("thread"));
    if (thread === null) return context.text("There is no such thread.", 404);
    const name = (thread.title ?? thread.id).replaceAll(/[^\w.-]+/g, "-").slice(0, 60);
    return stream(context, exportThread(threads, thread, format), 200, {
      "Content-Type": exportMediaTypes[format],
      "Content-Disposition": `attachment; filename="${name}.${format}"`,
    });
  });
  return app;

  async function readSize(hash: string): Promise<number | null> {
    try {
      return (await threads.readBlob(hash, { offset: 0, length: 0 })).size;
    } catch (error) {
      if (error instanceof RegisterError && (error.code === "not_found" || error.code === "bad_request")) return null;
      throw error;
    }
  }

  async function* readPieces(hash: string, start: number, end: number): AsyncGenerator<Uint8Array> {
    for (let offset = start; offset < end; offset += pieceBytes) {
      yield (await threads.readBlob(hash, { offset, length: Math.min(pieceBytes, end - offset) })).bytes;
    }
  }
}

function stream(
  context: Context,
  source: AsyncIterable<string | Uint8Array>,
  status: 200 | 206,
  headers: Record<string, string>,
): Response {
  return context.body(
    Readable.toWeb(Readable.from(yieldInTurns(source), { objectMode: false })) as ReadableStream,
    status,
    headers,
  );
}

/** Reads one range, as browsers and curl send it; null, for the whole blob, for anything else. */
function parseRange(header: string | undefined, size: number): { start: number; end: number } | "unsatisfiable" | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? "");
  if (match === null || (match[1] === "" && match[2] === "")) return null;
  const [, from = "", to = ""] = match;
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === "" || to === "" ? size : Math.min(size, Number(to) + 1);
  return start >= size || start >= end ? "unsatisfiable" : { start, end };
}
