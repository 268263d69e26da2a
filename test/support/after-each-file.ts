// Ends after each test file what its tests shared. The files of a worker share a process, and with it everything that is imported.
import { afterAll } from "vitest";
import { stopIdleAgents } from "./agent-stage.ts";
import { stopSharedHosts } from "./shared-host.ts";

afterAll(async () => {
  await Promise.all([stopSharedHosts(), stopIdleAgents()]);
});
