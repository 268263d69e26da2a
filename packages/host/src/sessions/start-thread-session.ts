// Everything that a thread's agent needs around it when it is started: the rules of its folder, its sandbox, and what the register knows of it.
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { ContentBlock, JsonObject, ThreadRow, ThreadStateRow } from "@signalbox/protocol";
import { createPolicy, type Enforcement } from "@signalbox/sandbox";
import type { Register } from "@signalbox/tinyvex";
import type { PidLedger } from "../agents/pid-ledger.ts";
import type { AgentDefinition } from "../agents/registry.ts";
import { type Config, keyVariables, readProjectRules } from "../config/config.ts";
import { HostError, messageOf } from "../data/host-error.ts";
import type { PermissionBroker } from "../permissions/broker.ts";
import type { ElicitationBroker } from "../permissions/elicitation-broker.ts";
import { Grants } from "../permissions/grants.ts";
import type { RuleBook } from "../permissions/rule-book.ts";
import { ToolCallsSeen } from "../permissions/tool-calls-seen.ts";
import type { Beginning } from "./agent-session.ts";
import { historyContext } from "./history-context.ts";
import { knownPrompts } from "./known-prompts.ts";
import { waitingTurns } from "./prompt-queue.ts";
import { ThreadSession } from "./thread-session.ts";

export interface SessionSurroundings {
  readonly register: Register;
  readonly rules: RuleBook;
  readonly broker: PermissionBroker;
  readonly elicitations: ElicitationBroker;
  readonly config: Config;
  readonly dataFolder: string;
  readonly enforcement: Promise<Enforcement>;
  readonly version: string;
  readonly ledger: PidLedger;
}

export interface StartedThread {
  readonly thread: ThreadRow;
  readonly definition: AgentDefinition;
  readonly mcpServers: readonly JsonObject[];
  readonly beginning: Beginning;
  readonly onStep: (step: string) => void;
  readonly onGone: () => void;
  readonly signal: AbortSignal;
}

/** Throws, and leaves nothing running, when the agent cannot be started. */
export async function startThreadSession(
  surroundings: SessionSurroundings,
  started: StartedThread,
): Promise<ThreadSession> {
  const { register, config, broker, elicitations, dataFolder, enforcement, version, ledger } = surroundings;
  const { thread, definition } = started;
  checkFolder(thread.cwd);
  readProject(surroundings.rules, thread.cwd);
  const { mode, network, writable } = config.sandbox;
  const { rows } = await register.query("state.get", { thread_id: thread.id });
  const [state] = rows as unknown as readonly ThreadStateRow[];
  return await ThreadSession.start({
    ...started,
    version,
    ledger,
    knownPrompts: () => knownPrompts(register, thread),
    modeId: thread.current_mode_id,
    configOptions: state?.config_options ?? null,
    held: await waitingTurns(register, thread.id),
    context: () => contextOf(register, thread.id),
    served: {
      place: { agentId: thread.agent_id, threadId: thread.id, cwd: thread.cwd },
      register,
      broker,
      elicitations,
      grants: new Grants(),
      seen: new ToolCallsSeen(),
      policy: createPolicy({
        mode: mode === "off" ? "rwx" : mode,
        network: network ? "on" : "off",
        workspaceFolders: [thread.cwd],
        dataFolder,
        writable,
      }),
      enforcement: await enforcement,
      secretNames: keyVariables(config),
      readMissingFile: definition.quirks?.readMissingFile ?? "not_found",
    },
  });
}

export function checkFolder(cwd: string): void {
  if (!isAbsolute(cwd)) throw new HostError("bad_request", `The folder must be an absolute path; ${cwd} is not.`);
  const stats = statSync(cwd, { throwIfNoEntry: false });
  if (stats === undefined) throw new HostError("not_found", `The folder ${cwd} does not exist.`);
  if (!stats.isDirectory()) throw new HostError("bad_request", `${cwd} is a file, not a folder.`);
}

/** A project's own rules hold for the threads in it, as they stand when its agent is started. */
function readProject(rules: RuleBook, cwd: string): void {
  try {
    rules.setProject(cwd, readProjectRules(cwd));
  } catch (error) {
    throw new HostError("bad_request", messageOf(error), { cause: error });
  }
}

/** What was there before the prompt that is about to run. */
async function contextOf(register: Register, threadId: string): Promise<ContentBlock | null> {
  await register.settled(threadId);
  const { timeline } = await register.snapshot(threadId, { limit: 200 });
  const prompt = timeline.findLastIndex((item) => item.type === "message" && item.role === "user");
  return historyContext(prompt < 0 ? timeline : timeline.slice(0, prompt));
}
