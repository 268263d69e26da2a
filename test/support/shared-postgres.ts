// Gives the PostgreSQL that all test files of a run share: each makes databases of its own in it. Who kills one starts one of its own.
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { inject } from "vitest";
import { Postgres } from "./postgres.ts";

export async function sharedPostgres(): Promise<Postgres> {
  const request = get({ socketPath: inject("postgresSocket") });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const { port, error } = JSON.parse(await text(response)) as { port?: number; error?: string };
  if (port === undefined) throw new Error(error ?? "there is no PostgreSQL");
  return new Postgres(port);
}
