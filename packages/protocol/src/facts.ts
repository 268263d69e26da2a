// The facts that the host records about a thread, beside what the agent sent. Each becomes one event of the log under
// `signalbox/<type>`, so that the log alone can rebuild every row.

import type { RememberScope } from "@signalbox/rules";
import type { ContentBlock, PermissionOption, StopReason } from "./acp.ts";
import type { ChangedFile, QuestionSubject } from "./asked-about.ts";
import type { SkippedFile, ThreadCheckpoints, ThreadGit } from "./checkpoints.ts";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import type { ElicitationMode, ElicitationStatus, PermissionStatus, ThreadStatus, TurnError } from "./tables.ts";
import type { ThreadFork, ThreadSandbox } from "./thread-facts.ts";

/** `meta` is the host's own note; no row has it. */
export type Fact = FactBody & { readonly meta?: JsonObject };

type FactBody =
  | ThreadCreated
  | ThreadUpdated
  | SessionStarting
  | SessionStarted
  | SessionStartFailed
  | SandboxChanged
  | CheckpointsChanged
  | GitChanged
  | SessionEnded
  | TurnQueued
  | TurnEdited
  | TurnRemoved
  | TurnStarted
  | TurnSteered
  | HandedOver
  | TurnEnded
  | TurnFailed
  | TurnInterrupted
  | CheckpointMade
  | FilesRestored
  | PermissionRequested
  | PermissionDecided
  | ElicitationRequested
  | ElicitationDecided
  | TerminalCreated
  | TerminalOutput
  | TerminalEnded
  | AgentRequest
  | ClientRequest
  | NetworkConnection
  | PortChanged
  | EntriesLost
  | CommandReceived;

export interface ThreadCreated {
  readonly type: "thread_created";
  readonly agent_id: string;
  readonly cwd: string;
  readonly title: string | null;
  readonly parent_thread_id: string | null;
  readonly additional_directories?: readonly string[];
  /** Where it has a worktree of its own. */
  readonly git?: ThreadGit;
  /** Where it goes on from `parent_thread_id`. */
  readonly fork?: ThreadFork;
  /** Whether its whole agent runs inside the sandbox, where the person chose that for this thread. */
  readonly sandbox_choice?: boolean;
  /** Its agent is started with it. */
  readonly starting?: boolean;
}

export interface ThreadUpdated {
  readonly type: "thread_updated";
  readonly title?: string | null;
  readonly archived?: boolean;
  readonly pinned?: boolean;
}

/** The agent of an existing thread is being started. `session_started`, `session_start_failed` or `session_ended` ends that. */
export interface SessionStarting {
  readonly type: "session_starting";
}

/** The agent could not be started, or Signalbox stopped meanwhile. */
export interface SessionStartFailed {
  readonly type: "session_start_failed";
  readonly reason: string;
}

/** The agent answered `session/new`, `load` or `resume`; `modes` and `config_options` as it sent them. */
export interface SessionStarted {
  readonly type: "session_started";
  readonly session_id: string;
  readonly modes?: Json;
  readonly config_options?: Json;
  /** Other fields of the agent's answer: `_meta`, and unknown ones. */
  readonly more?: JsonObject;
  /** It takes text into a running turn. */
  readonly steering?: boolean;
  /** How a fork was made. */
  readonly forked_by?: NonNullable<ThreadFork["by"]>;
}

/** The sandbox of the agent's commands from now on. */
export interface SandboxChanged {
  readonly type: "sandbox_changed";
  readonly sandbox: ThreadSandbox;
}

/** Whether checkpoints are made in this thread from now on. */
export interface CheckpointsChanged {
  readonly type: "checkpoints_changed";
  readonly checkpoints: ThreadCheckpoints;
}

/** The repository of the thread's folder, its branch or the thread's worktree is another one from now on. */
export interface GitChanged {
  readonly type: "git_changed";
  readonly git: ThreadGit | null;
}

/** The agent's process or session is gone; `status` is what the thread shows now. */
export interface SessionEnded {
  readonly type: "session_ended";
  readonly status: Extract<ThreadStatus, "idle" | "closed" | "failed">;
  readonly reason: string | null;
}

export interface TurnQueued {
  readonly type: "turn_queued";
  readonly turn_id: string;
  readonly prompt_id: string;
  readonly prompt: readonly ContentBlock[];
  /** The `_meta` that an ACP client sent with it, for the agent; here without what looks like a secret. */
  readonly meta?: JsonObject;
  /** The model that it is for; without it, the session's. */
  readonly model?: string;
}

export interface TurnEdited {
  readonly type: "turn_edited";
  readonly turn_id: string;
  readonly prompt: readonly ContentBlock[];
}

export interface TurnRemoved {
  readonly type: "turn_removed";
  readonly turn_id: string;
}

/** The prompt goes to the agent: the queued turn runs and its prompt becomes the user's message. */
export interface TurnStarted {
  readonly type: "turn_started";
  readonly turn_id: string;
}

/** The agent took this text into the running turn: it is a message of the user. */
export interface TurnSteered {
  readonly type: "turn_steered";
  readonly turn_id: string;
  readonly prompt_id: string;
  readonly prompt: readonly ContentBlock[];
}

/** The thread goes on with another agent, in a session of its own. */
export interface HandedOver {
  readonly type: "handed_over";
  readonly agent_id: string;
}

export interface TurnEnded {
  readonly type: "turn_ended";
  readonly turn_id: string;
  readonly stop_reason: StopReason;
  readonly usage?: JsonObject;
  /** The model that answered, where that is known. */
  readonly model?: string;
  /** Other fields of the agent's answer: `_meta`, and unknown ones. */
  readonly more?: JsonObject;
}

export interface TurnFailed {
  readonly type: "turn_failed";
  readonly turn_id: string;
  readonly error: TurnError;
}

/** The host went down while the turn ran. */
export interface TurnInterrupted {
  readonly type: "turn_interrupted";
  readonly turn_id: string;
  readonly reason: string;
}

/** The thread's folder was kept as it is: before the prompt of a turn goes out, or before the turn's end is recorded. */
export interface CheckpointMade {
  readonly type: "checkpoint_made";
  readonly turn_id: string;
  readonly moment: "before" | "after";
  /** Null when it could not be made; the notice says why. */
  readonly commit: string | null;
  /** With `after`, of a turn in which Signalbox was killed: the folder as it was found afterwards. */
  readonly found?: string;
  /** With `after`: how many files differ from `before`; null where that is not known. */
  readonly files_changed?: number | null;
  /** With `after`: how many files all turns of the thread changed together; left out where this turn changed nothing. */
  readonly thread_files_changed?: number;
  readonly not_kept: readonly SkippedFile[];
  readonly notice: string | null;
}

/** Files were put back to how they were when the prompt of `to_turn_id` was sent. It has a row among the turns. */
export interface FilesRestored {
  readonly type: "files_restored";
  readonly turn_id: string;
  readonly to_turn_id: string;
  readonly before: string;
  readonly after: string;
  readonly restored: readonly string[];
  /** How many files all turns of the thread still changed together. */
  readonly thread_files_changed?: number;
  readonly conflicts: readonly { readonly path: string; readonly reason: string }[];
}

export interface PermissionRequested {
  readonly type: "permission_requested";
  readonly permission_id: string;
  /** The tool call as the agent described it in the question: also a tool call that was never announced. */
  readonly tool_call: ({ readonly toolCallId: string } & JsonObject) | null;
  readonly options: readonly PermissionOption[];
  /** Other fields of the agent's request: `_meta`, and unknown ones. */
  readonly more?: JsonObject;
  /** The rule that says to ask; null where no rule speaks. */
  readonly rule?: string | null;
  /** The rule that a remembered answer would write; null when no rule could name this and nothing else. */
  readonly rule_if_remembered?: string | null;
  /** How far an answer can be remembered. */
  readonly remember_scopes?: readonly Exclude<RememberScope, "once">[];
  readonly wider_rules?: readonly string[];
  readonly subject?: QuestionSubject | null;
  readonly outside?: readonly string[];
  readonly hunks?: readonly ChangedFile[];
  /** All changed files as JSON text, where `hunks` has only the beginning: the register keeps a long text in a blob. */
  readonly all_hunks?: string;
}

export interface PermissionDecided {
  readonly type: "permission_decided";
  readonly permission_id: string;
  readonly status: Exclude<PermissionStatus, "pending">;
  readonly option_id: string | null;
  readonly decided_by: string;
  readonly rule: string | null;
  /** The person's comment on a denial. */
  readonly comment?: string | null;
}

/** The agent wants more than yes or no: a form filled in, or an address opened. */
export interface ElicitationRequested {
  readonly type: "elicitation_requested";
  readonly elicitation_id: string;
  readonly mode: ElicitationMode;
  readonly message: string;
  readonly schema: Json;
  readonly url: string | null;
  readonly tool_call_id: string | null;
}

export interface ElicitationDecided {
  readonly type: "elicitation_decided";
  readonly elicitation_id: string;
  readonly status: Exclude<ElicitationStatus, "pending">;
  readonly content: Json;
  readonly decided_by: string;
  readonly reason: string | null;
}

export interface TerminalCreated {
  readonly type: "terminal_created";
  readonly terminal_id: string;
  readonly command: string;
  readonly cwd: string | null;
}

export interface TerminalOutput {
  readonly type: "terminal_output";
  readonly terminal_id: string;
  readonly text: string;
}

export interface TerminalEnded {
  readonly type: "terminal_ended";
  readonly terminal_id: string;
  readonly exit_code: number | null;
  readonly signal: string | null;
  /** The agent limited what it can read back, and the beginning was dropped for it. */
  readonly truncated?: boolean;
}

/** A request the agent made of us and how it was answered; never the content of a polled output, never a secret of ours. */
export interface AgentRequest {
  readonly type: "agent_request";
  readonly method: string;
  readonly params: Json;
  readonly outcome: "answered" | "refused" | "failed";
  readonly error?: Json;
  readonly duration_ms: number;
}

/** A request or a notification of an ACP client in a method that is not ACP's own, passed on to the agent, and its end; without what looks like a secret. */
export interface ClientRequest {
  readonly type: "client_request";
  readonly method: string;
  readonly params: Json;
  /** `sent`: a notification, which has no answer. */
  readonly outcome: "answered" | "failed" | "sent";
  /** The agent's answer. */
  readonly result?: Json;
  readonly error?: Json;
  readonly duration_ms: number;
}

/** A connection through the proxy of a network by name: one that ended, or one that was refused. Never what it carried. */
export interface NetworkConnection {
  readonly type: "network_connection";
  readonly host: string;
  readonly port: number;
  /** The entry of the list, the rule, or `person`; null where it was refused. */
  readonly allowed_by: string | null;
  /** Why it was refused. */
  readonly refused: string | null;
  readonly bytes_sent: number;
  readonly bytes_received: number;
  /** More of the same that were refused since the last such event. */
  readonly more?: number;
}

/** A port of the thread's programs was opened to the browser, or closed: by a person, or with the session. */
export interface PortChanged {
  readonly type: "port_changed";
  readonly port: number;
  readonly is_open: boolean;
  /** `owner`, `device:` with its id, or `session_end`. */
  readonly by: string;
}

/** The register could not store for so long that it had to let some entries of this thread go; `count` is how many. */
export interface EntriesLost {
  readonly type: "entries_lost";
  readonly count: number;
  readonly reason: string;
}

/** Another machine sent a request for this thread, which was signed and is run next. */
export interface CommandReceived {
  readonly type: "command_received";
  readonly machine: string;
  readonly control: string;
  readonly command_id: string;
}

const factTypes: Readonly<Record<Fact["type"], true>> = {
  thread_created: true,
  thread_updated: true,
  session_starting: true,
  session_started: true,
  session_start_failed: true,
  sandbox_changed: true,
  checkpoints_changed: true,
  git_changed: true,
  session_ended: true,
  turn_queued: true,
  turn_edited: true,
  turn_removed: true,
  turn_started: true,
  turn_steered: true,
  handed_over: true,
  turn_ended: true,
  turn_failed: true,
  turn_interrupted: true,
  checkpoint_made: true,
  files_restored: true,
  permission_requested: true,
  permission_decided: true,
  elicitation_requested: true,
  elicitation_decided: true,
  terminal_created: true,
  terminal_output: true,
  terminal_ended: true,
  agent_request: true,
  client_request: true,
  network_connection: true,
  port_changed: true,
  entries_lost: true,
  command_received: true,
};

/** True for a fact as the log has it; false for a type that this version does not know. Only the host writes facts, so the type says the rest. */
export function isFact(value: unknown): value is Fact {
  return isJsonObject(value) && typeof value.type === "string" && Object.hasOwn(factTypes, value.type);
}
