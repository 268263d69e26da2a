// Shares a running host between the tests of a worker, also those of different files: a start costs more than most tests.
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { inject } from "vitest";
import type { ToStop } from "./end-of-run.ts";
import { FakeHost, type FakeHostOptions } from "./fake-host.ts";

interface Shared {
  readonly host: FakeHost;
  /** Agent and config that it has now. */
  key: string;
  guests: number;
}

const shared: Shared[] = [];

/**
 * A project folder and threads of its own, on a host that other tests of the worker use too. One that no test uses now gets this agent and config:
 * a host reads its file again, which costs less than another host. It is stopped at the end of the run.
 */
export async function sharedHost(options: Pick<FakeHostOptions, "agentArgs" | "config"> = {}): Promise<FakeHost> {
  const key = JSON.stringify(options);
  const found = shared.find((each) => each.key === key) ?? shared.find(({ guests }) => guests === 0);
  if (found === undefined) {
    const started = { host: await startForWorker(options), key, guests: 0 };
    shared.push(started);
    return guestOf(started);
  }
  // Before anything is waited for: another test may ask meanwhile.
  const guest = guestOf(found);
  if (found.key !== key) await found.host.configure(options);
  found.key = key;
  return guest;
}

function guestOf(each: Shared): FakeHost {
  each.guests++;
  return each.host.guest(() => each.guests--);
}

const workerHosts = new Map<string, Promise<FakeHost>>();

/** A host with these options for all files of this worker: for suites whose files share a process. It is stopped at the end of the run. */
export async function workerHost(options: FakeHostOptions = {}): Promise<FakeHost> {
  const key = JSON.stringify(options);
  const host = workerHosts.get(key) ?? startForWorker(options);
  workerHosts.set(key, host);
  return await host;
}

async function startForWorker(options: FakeHostOptions): Promise<FakeHost> {
  return await FakeHost.start({
    ...options,
    onStart: ({ process: { ready }, folder }) => {
      const toStop: ToStop = { pid: ready.pid, folder: folder.path };
      writeFileSync(join(inject("stopAtEnd"), basename(folder.path)), JSON.stringify(toStop));
    },
  });
}
