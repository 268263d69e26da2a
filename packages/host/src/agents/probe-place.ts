// Declares how an agent is started without a thread: for a test, a log-in, a list of its sessions, its version. It starts in an empty folder of
// the data folder, because an agent obeys settings of its folder and of those above, and commands can write the temp folder; and in the sandbox
// where its threads are.
import { mkdir, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { AgentProcessOptions } from "./agent-process.ts";
import type { AgentDefinition } from "./registry.ts";

export interface ProbePlace extends AsyncDisposable {
  readonly folder: string;
  /** The agent as it is started there. */
  readonly definition: AgentDefinition;
  /** Undefined where its threads are not sandboxed. */
  readonly sandbox: AgentProcessOptions["sandbox"];
}

export interface ProbeOptions extends Pick<AgentProcessOptions, "ledger" | "onOutput"> {
  readonly openPlace: (agent: AgentDefinition) => Promise<ProbePlace>;
}

/** Among the worktrees of threads: a thread sees its own, and no other one. Only its owner may read it. */
export async function makeProbeFolder(dataFolder: string): Promise<string> {
  const parent = join(dataFolder, "worktrees");
  await mkdir(parent, { recursive: true, mode: 0o700 });
  return await mkdtemp(join(parent, "empty-"));
}
