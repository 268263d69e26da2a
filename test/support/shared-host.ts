// Shares one running host between the tests of a file: a start costs more than most tests.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import type { ToStop } from "./end-of-run.ts";
import { FakeHost, type FakeHostOptions } from "./fake-host.ts";

const hosts = new Map<string, Promise<FakeHost>>();

/** A project folder and threads of its own, on a host with these options that other tests of the file use too. */
export async function sharedHost(options: FakeHostOptions = {}): Promise<FakeHost> {
  const key = JSON.stringify(options);
  const host = hosts.get(key) ?? FakeHost.start(options);
  hosts.set(key, host);
  return (await host).guest();
}

/** Stops them. */
export async function stopSharedHosts(): Promise<void> {
  const all = [...hosts.values()];
  hosts.clear();
  await Promise.all(all.map(async (host) => (await host)[Symbol.asyncDispose]()));
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
  const host = await FakeHost.start(options);
  const toStop: ToStop = { pid: host.process.ready.pid, folder: host.folder.path };
  writeFileSync(join(inject("stopAtEnd"), String(toStop.pid)), JSON.stringify(toStop));
  return host;
}
