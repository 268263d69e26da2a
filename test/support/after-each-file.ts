// Ends after each test file the agents that its tests shared; a shared host goes on. The files of a worker share a process, and with it everything that is
// imported.
import { afterAll } from "vitest";
import { stopIdleAgents } from "./agent-stage.ts";

afterAll(async () => {
  await stopIdleAgents();
});
