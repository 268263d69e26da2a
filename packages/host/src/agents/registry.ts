// The agents Signalbox can start, as data. Ours is one row like every other.

export interface AgentCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface AgentDefinition extends AgentCommand {
  readonly id: string;
  readonly label: string;
}

export class AgentRegistry {
  readonly #agents: ReadonlyMap<string, AgentDefinition>;

  constructor(agents: readonly AgentDefinition[]) {
    this.#agents = new Map(agents.map((agent) => [agent.id, agent]));
  }

  find(id: string): AgentDefinition | undefined {
    return this.#agents.get(id);
  }

  all(): readonly AgentDefinition[] {
    return [...this.#agents.values()];
  }
}
