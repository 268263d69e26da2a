// Defines the agents that Signalbox can start, as data. Our own agent is one row like every other.
import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { AgentModelRow } from "@signalbox/protocol";
import type { InstallPlan } from "./install/install-plan.ts";

export interface AgentCommand {
  /** A path, or the name of a program: see `findProgram` for where it is looked for. */
  readonly command: string;
  readonly args: readonly string[];
  /** Wins over the user's environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly userEnv?: UserVariables;
  readonly keys?: AgentKeys;
  readonly program?: ProgramOrigin;
  /** The folder that Signalbox installs it to, whether it is there or not. */
  readonly installFolder?: string;
  /** Without this package the program can do nothing. */
  readonly needs?: NeededPackage;
  readonly quirks?: AgentQuirks;
  /** Quirks from the user's config, which override those of the known agent. */
  readonly configuredQuirks?: AgentQuirks;
}

/** How the user's environment is changed for an agent. */
interface UserVariables {
  /** For variables that the user has not set. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** Variables that the agent does not get. */
  readonly without?: readonly string[];
}

interface AgentKeys {
  /** The variables that the agent reads a key from. Signalbox can keep a key for each. */
  readonly variables: readonly string[];
  /** Reads the keys that Signalbox keeps, by variable. The user's environment wins over them. */
  readonly kept?: () => Readonly<Record<string, string>>;
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
  /** The prefix of its packages for single platforms, if that is not the package's own name. */
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

/** A place of an agent's own: below the home folder or a folder of XDG, or where the agent's own variable leads. */
export interface AgentPlace {
  readonly in: "home" | "config" | "data" | "state" | "cache";
  readonly path: string;
  /** The agent looks there instead if it is set. */
  readonly variable?: string;
}

/**
 * A folder in which an agent keeps its state. Inside the sandbox it is a private layer over the real one. Each name that an agent makes in it is decided
 * here: a path below the folder, with everything in it; `*` stands for any letters of one name.
 */
export interface StateFolder {
  readonly place: AgentPlace;
  /** Sessions, databases, logs and locks. */
  readonly data: readonly string[];
  /** A later start acts on it: settings, hooks, servers, trust. */
  readonly obeyed: readonly string[];
  /** A later start runs it. */
  readonly programs?: readonly string[];
  /** Copied into a private folder where no overlay can be mounted. */
  readonly seed?: readonly string[];
  /** Log-ins, as JSON. One that the agent has refreshed goes back to the real folder, as it would be logged out there otherwise. */
  readonly logIns?: readonly string[];
  /** Sessions that go to the real folder where the person's config says so. Those of a database cannot. */
  readonly sessions?: StoredSessions;
}

/** Sessions in files of one JSON object a line, to which an agent only appends. */
export interface StoredSessions {
  /** A path below the state folder, in which `*` stands for any name. */
  readonly files: string;
  /** The `type` of lines that are conversation. */
  readonly lineTypes: readonly string[];
  /** Fields of such a line that a resumed session obeys. */
  readonly dropped: readonly string[];
}

/** Describes what an agent needs to run in the sandbox with every process that it starts. */
export interface AgentSandbox {
  /** Why it runs outside unless a person chooses otherwise. Undefined for an agent that was seen to start, run turns and tools, and resume inside. */
  readonly outsideBecause?: string;
  readonly state: readonly StateFolder[];
  /** Files of the home folder that it replaces, which an overlay cannot show. They are copied. */
  readonly homeFiles?: readonly string[];
  /** Variables that move its folders in a way that is not known here. */
  readonly movedBy?: readonly string[];
  /** Turns off what cannot work in a sandbox: its own sandbox, updates of the program. */
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** How it behaves differently inside, in sentences for the person. */
  readonly note?: string;
  /** Its model's API and log-in, for a network by name. */
  readonly hosts: readonly string[];
}

export interface AgentDefinition extends AgentCommand {
  readonly id: string;
  readonly label: string;
  /** In a sentence, where the ACP registry has one. */
  readonly description?: string;
  /** Set only where it is certain; without it the agent runs commands as it likes, with the user's rights. */
  readonly commands?: CommandPlace;
  /** Without it the agent has no folders of its own inside the sandbox. */
  readonly sandbox?: AgentSandbox;
  /** The command that installs it. */
  readonly install?: string;
  /** How Signalbox installs it into `installFolder`. */
  readonly plan?: InstallPlan;
  /** How to log in, in a sentence with the command. */
  readonly login?: string;
  /** Returns a sentence about what it lacks and what to do, if that is known without starting it. */
  readonly lacks?: () => string | undefined;
  /** Facts about our own agents that need no question to them. */
  readonly own?: OwnAgent;
}

interface OwnAgent {
  readonly version: string;
  /** Who answers a new thread. */
  readonly usualModel?: () => Promise<AgentModelRow | null>;
}

export class AgentRegistry {
  #agents: ReadonlyMap<string, AgentDefinition> = new Map();
  /** Those of a command line, by id. They last as long as the host. */
  readonly #commands = new Map<string, AgentDefinition>();

  constructor(agents: readonly AgentDefinition[]) {
    this.replace(agents);
  }

  /** Of two agents with the same id the later one counts: the user's own after the known ones. It keeps the quirks of the known one, and what that needs in a sandbox. */
  replace(agents: readonly AgentDefinition[]): void {
    const byId = new Map<string, AgentDefinition>();
    for (const agent of agents) {
      const known = byId.get(agent.id);
      const sandbox = agent.sandbox ?? known?.sandbox ?? findStartedAgent(agent, byId.values())?.sandbox;
      const quirks = { ...known?.quirks, ...agent.quirks };
      byId.set(agent.id, { ...agent, quirks, ...(sandbox && { sandbox }) });
    }
    this.#agents = byId;
  }

  /** Adds the command of an agent that is not registered. Gives its id, which is the same for the same command. */
  addCommand(command: AgentCommand): string {
    const label = basename(command.command);
    for (let count = 1; ; count++) {
      const id = `command:${label}${count === 1 ? "" : `-${count}`}`;
      const known = this.#commands.get(id);
      const sandbox = findStartedAgent(command, this.#agents.values())?.sandbox;
      const added = { ...command, id, label, ...(sandbox && { sandbox }) };
      if (known !== undefined && !isDeepStrictEqual(known, added)) continue;
      this.#commands.set(id, added);
      return id;
    }
  }

  find(id: string): AgentDefinition | undefined {
    return this.#agents.get(id) ?? this.#commands.get(id);
  }

  all(): readonly AgentDefinition[] {
    return [...this.#agents.values()];
  }
}

/** The known agent that a command line starts: by the name of its program, or by its package, as in `npx PACKAGE`. */
function findStartedAgent(
  { command, args }: AgentCommand,
  agents: Iterable<AgentDefinition>,
): AgentDefinition | undefined {
  return [...agents].find(({ program, command: known }) => {
    if (program === undefined) return false;
    const isPackage = (word: string) => word === program.npmPackage || word.startsWith(`${program.npmPackage}@`);
    return basename(command) === known || args.some(isPackage);
  });
}
