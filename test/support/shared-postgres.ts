// Gives the PostgreSQL that all test files of a run share: each makes databases of its own in it. Who kills one starts one of its own.
import { get } from "node:http";
import { text } from "node:stream/consumers";
import { inject } from "vitest";
import { Postgres } from "./postgres.ts";

export async function sharedPostgres(): Promise<Postgres> {
  const answer = await new Promise<string>((resolve, reject) => {
    get({ socketPath: inject("postgresSocket") }, (response) => text(response).then(resolve, reject)).on(
      "error",
      reject,
    );
  });
  const { port, error } = JSON.parse(answer) as { port?: number; error?: string };
  if (port === undefined) throw new Error(error ?? "there is no PostgreSQL");
  return new Postgres(port);
}
