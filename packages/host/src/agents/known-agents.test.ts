// Checks what must be written down elsewhere for every agent that is known.
import { agentLogins } from "@signalbox/sandbox";
import { expect, it } from "vitest";
import { knownAgents } from "./known-agents.ts";

it("the sandbox hides the log-in of every known agent from commands", () => {
  const unprotected = knownAgents("/data").filter(({ id }) => (agentLogins[id] ?? []).length === 0);
  expect(unprotected.map(({ id }) => id)).toEqual([]);
});
