// Answers everything that is no WebSocket: the page's files and the downloads. Files with a hash in their name are cached forever; the policy allows no other scripts.
import { createReadStream, type Stats, statSync } from "node:fs";
import type { IncomingMessage, RequestListener } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { Readable } from "node:stream";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import type { Caller } from "../data/caller.ts";
import type { Refusal } from "./access.ts";
import { createDeviceRoutes } from "./device-routes.ts";
import { createDownloadRoutes } from "./downloads.ts";
import type { HostServices } from "./host-services.ts";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

interface PageAccess {
  readonly refuseStranger: (request: IncomingMessage) => Refusal | null;
  readonly callerOf: (request: IncomingMessage) => Caller | null;
  /** The origin of a page that is served elsewhere and may read the answer. */
  readonly extraOriginOf: (request: IncomingMessage) => string | null;
}

/** The page has no secrets; blobs and exports do, and ask `refuseStranger`. */
export function createPageListener(
  folder: string,
  services: HostServices,
  { refuseStranger, callerOf, extraOriginOf }: PageAccess,
): RequestListener {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.use(async (context, next) => {
    await next();
    context.header("Content-Security-Policy", policy);
    context.header("X-Content-Type-Options", "nosniff");
    context.header("Referrer-Policy", "no-referrer");
    context.header("Cross-Origin-Opener-Policy", "same-origin");
    const page = extraOriginOf(context.env.incoming);
    context.header("Cross-Origin-Resource-Policy", page === null ? "same-origin" : "cross-origin");
    if (page === null) return;
    context.header("Access-Control-Allow-Origin", page);
    context.header("Access-Control-Allow-Headers", "Authorization, Range");
    context.header("Vary", "Origin");
  });
  // A browser sends this request before it sends the token from a page that is served elsewhere.
  app.options("*", (context) => context.body(null, extraOriginOf(context.env.incoming) === null ? 404 : 204));
  app.get("/health", (context) => context.json({ status: "ok" }));
  app.route("/", createDownloadRoutes(services, refuseStranger));
  app.route("/", createDeviceRoutes(services, callerOf));
  app.get("*", (context) => {
    const path = normalize(context.req.path);
    const file = join(folder, path === "/" ? "index.html" : path);
    const stats = file.startsWith(folder + sep) ? readStats(file) : undefined;
    if (!stats?.isFile()) return context.text("There is nothing at this address.", 404);
    const kept = path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache";
    return context.body(Readable.toWeb(createReadStream(file)) as ReadableStream, 200, {
      "Content-Type": types[extname(file)] ?? "application/octet-stream",
      "Content-Length": String(stats.size),
      "Cache-Control": kept,
    });
  });
  const listener = getRequestListener(app.fetch);
  return (request, response) => void listener(request, response);
}

/** Undefined where there is no file, also for names that no file can have: with a zero byte, or too long. */
function readStats(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}
