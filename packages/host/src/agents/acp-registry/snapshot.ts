// The part of the ACP registry that comes with Signalbox: agents that we have no row of our own for. The date is that of the newest entry;
// others are older, and none of them was tried. Refreshing on the settings page gets the whole list.
import type { ListedAgent } from "./registry-format.ts";
import registry from "./snapshot.json" with { type: "json" };

/** A test reads it as a stranger's file is read, so that not every start has to. */
const agents: readonly ListedAgent[] = registry.agents;

export const snapshot = { asOf: "2026-10-01", registry, agents };
