// Starts one PostgreSQL for all test files of a run, when the first of them asks for it. vitest runs this in its own process, before the tests.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import type { PostgresProcess } from "./postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where `sharedPostgres` asks. */
    readonly postgresSocket: string;
  }
}

export default function setUp(project: TestProject): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-pg-ask-"));
  const socket = join(folder, "socket");
  let started: Promise<PostgresProcess> | null = null;
  const server = createServer((_request, response) => {
    started ??= import("./postgres.ts").then((module) => module.PostgresProcess.start());
    started.then(
      ({ postgres }) => response.end(JSON.stringify({ port: postgres.port })),
      (error: unknown) => response.end(JSON.stringify({ error: String(error) })),
    );
  });
  server.listen(socket);
  server.unref();
  project.provide("postgresSocket", socket);
  return async () => {
    server.close();
    await (await started?.catch(() => null))?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  };
}
