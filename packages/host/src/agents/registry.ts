// Defines the agents that Signalbox can start, as data. Our own agent is one row like every other.

export interface AgentCommand {
  /** A path, or the name of a program: see `findProgram` for where it is looked for. */
  readonly command: string;
  readonly args: readonly string[];
  /** Wins over the user's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** The user's environment wins over it. */
  readonly defaultEnv?: Readonly<Record<string, string>>;
  readonly program?: ProgramOrigin;
  /** Without this package the program can do nothing. */
  readonly needs?: NeededPackage;
  readonly quirks?: AgentQuirks;
  /** What the user's config says; it wins over what is known of the agent. */
  readonly ownQuirks?: AgentQuirks;
}

export interface NeededPackage {
  readonly npmPackage: string;
  /** Where it is installed to; our own packages count as well. */
  readonly folder: string;
}

/** Tells the right program from another one of the same name. */
export interface ProgramOrigin {
  readonly npmPackage: string;
  /** The version that is offered for installing, of the line that was seen working. */
  readonly version: string;
  /** What the names of its packages for single platforms begin with, where that is not the package's own name. */
  readonly platformPackage?: string;
  /** The oldest Node it runs on; it is then started with ours, whatever is on the PATH. */
  readonly minimumNode?: number;
  /** True where a program outside an npm package cannot be this agent. */
  readonly onlyFromPackage?: boolean;
}

/** How an agent differs from the protocol. */
export interface AgentQuirks {
  /** Reading a file that is not there: the error "not found" (the default), or empty text, without which this agent cannot create files. */
  readonly readMissingFile?: "not_found" | "empty";
  /** False: the end of stdin does not end it, so a signal is sent immediately. */
  readonly endsAtStdinEnd?: boolean;
}

/**
 * Where an agent's commands run. `in_our_sandbox`: in Signalbox's sandbox, in a terminal of the host or in the agent; its session modes are the
 * sandbox's. `in_our_terminals`: only in terminals of the host. `shell_in_our_terminals`: those of its shell tool, but what it starts besides
 * (extensions, helpers) is its own. `in_own_sandbox`: in a sandbox that the agent makes and its own settings decide.
 */
export type CommandPlace = "in_our_sandbox" | "in_our_terminals" | "shell_in_our_terminals" | "in_own_sandbox";

export interface AgentDefinition extends AgentCommand {
  readonly id: string;
  readonly label: string;
  /** Set only where it is certain; without it the agent runs commands as it likes, with the user's rights. */
  readonly commands?: CommandPlace;
  /** The command that installs it. */
  readonly install?: string;
  /** How to log in, in a sentence with the command. */
  readonly login?: string;
  /** What it lacks, in a sentence with what to do, where that is known without starting it; undefined when it lacks nothing. */
  readonly lacks?: () => string | undefined;
  /** Where it is known without asking: our own. */
  readonly version?: string;
}

export class AgentRegistry {
  readonly #agents: ReadonlyMap<string, AgentDefinition>;

  /** Of two agents with the same id the later one counts: the user's own after the known ones. It keeps the quirks of the known one. */
  constructor(agents: readonly AgentDefinition[]) {
    const byId = new Map<string, AgentDefinition>();
    for (const agent of agents)
      byId.set(agent.id, { ...agent, quirks: { ...byId.get(agent.id)?.quirks, ...agent.quirks } });
    this.#agents = byId;
  }

  find(id: string): AgentDefinition | undefined {
    return this.#agents.get(id);
  }

  all(): readonly AgentDefinition[] {
    return [...this.#agents.values()];
  }
}
