// Connects a command to the running host, or to one that it starts and that ends with the last command that uses it.
import { setTimeout as pause } from "node:timers/promises";
import type { HostConnection } from "@signalbox/client";
import { HostError } from "@signalbox/protocol";
import type { Program } from "../command.ts";
import { openConnection } from "./find-host.ts";
import { describeHostStart, findOrStartHost } from "./start-host-process.ts";

interface OpenHost {
  readonly connection: HostConnection;
  /** Whether this command started it. */
  readonly isStarted: boolean;
  readonly close: () => Promise<void>;
}

/** The next command starts a host with its own environment, so a command waits a little for the end of the one that it started. Others may still use it. */
const maxEndMs = 1000;
const maxAttempts = 5;

export async function openHost(dataFolder: string | undefined, program: Program): Promise<OpenHost> {
  // A host that was found may end before the connection is open: then another one is started.
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const { started, ...found } = await findOrStartHost(dataFolder, describeHostStart(program, 0));
    if (started !== undefined) process.stderr.write(started.problems);
    const connection = await openConnection(found);
    if (connection === null) continue;
    const close = async () => {
      await connection.close();
      if (started === undefined) return;
      const timer = new AbortController();
      await Promise.race([started.ended, pause(maxEndMs, undefined, timer).catch(() => {})]);
      timer.abort();
    };
    return { connection, isStarted: started !== undefined, close };
  }
  throw new HostError("unavailable", "The Signalbox that runs with this data folder cannot be reached.");
}
