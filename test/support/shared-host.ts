// Shares one running host between the tests of a file: a start costs more than most tests.
import { afterAll } from "vitest";
import { FakeHost, type FakeHostOptions } from "./fake-host.ts";

const hosts = new Map<string, Promise<FakeHost>>();

afterAll(async () => {
  for (const host of hosts.values()) await (await host)[Symbol.asyncDispose]();
});

/** A project folder and threads of its own, on a host with these options that other tests of the file use too. */
export async function sharedHost(options: FakeHostOptions = {}): Promise<FakeHost> {
  const key = JSON.stringify(options);
  const host = hosts.get(key) ?? FakeHost.start(options);
  hosts.set(key, host);
  return (await host).guest();
}
