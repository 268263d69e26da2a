// Decides how a running agent differs from the protocol: what the config says, then what the agent is known for by the name that it reports,
// then by its id. A user's own command line for a known agent behaves like that agent.
import { type Json, toFields } from "@signalbox/protocol";
import { findKnownQuirks } from "./known-agents.ts";
import type { AgentDefinition, AgentQuirks } from "./registry.ts";

export class QuirksInUse {
  readonly #definition: Pick<AgentDefinition, "quirks" | "configuredQuirks">;
  #reported: AgentQuirks = {};

  constructor(definition: Pick<AgentDefinition, "quirks" | "configuredQuirks">) {
    this.#definition = definition;
  }

  /** Called with the agent's answer to `initialize`. */
  identify(agentInfo: Json | undefined): void {
    const name = toFields(agentInfo).name;
    this.#reported = typeof name === "string" ? findKnownQuirks(name) : {};
  }

  get current(): AgentQuirks {
    const { quirks, configuredQuirks } = this.#definition;
    return { ...quirks, ...this.#reported, ...configuredQuirks };
  }
}
