// What a client may say to the host. Checked with zod where it arrives; `control` names the kind.
import { z } from "zod";
import { type ContentBlock, isContentBlock } from "./acp.ts";
import { queryNames } from "./queries.ts";

const id = z.union([z.string().max(200), z.number()]).optional();
const threadId = z.string().min(1).max(200);
const seq = z.number().int().nonnegative();
/** A content block goes to the agent as the client spelled it; only its type is looked at. */
const contentBlock = z.custom<ContentBlock>(isContentBlock, "a content block is an object with a type");
const json = z.json();
/** What the agent is to work with, where it offers a choice. */
const choices = {
  mode_id: z.string().max(200).optional(),
  /** As the agent names it; for our own agent also `PROVIDER:NAME`, or `PROVIDER:` for its usual one. */
  model: z.string().min(1).max(200).optional(),
  thinking: z.string().min(1).max(200).optional(),
};

export const clientMessage = z.discriminatedUnion("control", [
  z.object({
    id,
    control: z.literal("tvx.subscribe"),
    stream: z.enum(["threads", "thread"]),
    thread_id: threadId.optional(),
    after_seq: seq.optional(),
    limit: z.number().int().min(1).max(1000).optional(),
  }),
  z.object({
    id,
    control: z.literal("tvx.unsubscribe"),
    stream: z.enum(["threads", "thread"]),
    thread_id: threadId.optional(),
  }),
  /** The arguments depend on the name: `parseQuery` checks them. */
  z.object({
    id,
    control: z.literal("tvx.query"),
    name: z.enum(queryNames),
    args: z.looseObject({}).optional(),
  }),
  z.object({
    id,
    control: z.literal("tvx.update_thread"),
    thread_id: threadId,
    updates: z.strictObject({
      title: z.string().max(500).nullable().optional(),
      archived: z.boolean().optional(),
      pinned: z.boolean().optional(),
    }),
  }),
  z.object({
    id,
    control: z.literal("session.create"),
    agent_id: z.string().min(1).max(200),
    cwd: z.string().min(1).max(4096),
    title: z.string().max(500).optional(),
    ...choices,
    /** Another machine that shares its threads; without it, this one. */
    machine: z.string().min(1).max(64).optional(),
    mcp_servers: z.array(z.looseObject({ name: z.string() })).optional(),
    /** Further folders that the agent works in, where it can. */
    additional_directories: z.array(z.string().min(1).max(4096)).max(20).optional(),
    /** In a git worktree of its own: on this branch, or on a new one that is called like the title. */
    worktree: z.strictObject({ branch: z.string().min(1).max(200).optional() }).optional(),
    /** Whether the whole agent runs inside the sandbox; without it, as the config and the agent's row say. */
    sandbox: z.boolean().optional(),
  }),
  /**
   * A new thread that goes on from where this one stands: in a copy of the agent's session where the agent can, else in a new session that is
   * told the conversation so far. With `before_seq` (that of a prompt) it goes on from before that prompt, always in a new session.
   */
  z.object({
    id,
    control: z.literal("session.fork"),
    thread_id: threadId,
    title: z.string().max(500).optional(),
    before_seq: seq.optional(),
  }),
  /** The thread goes on with another agent, which is told what happened. */
  z.object({
    id,
    control: z.literal("session.hand_over"),
    thread_id: threadId,
    agent_id: z.string().min(1).max(200),
  }),
  /** A session that the agent has and the register does not (`agent_sessions.list`), as a thread. */
  z.object({
    id,
    control: z.literal("session.adopt"),
    agent_id: z.string().min(1).max(200),
    session_id: z.string().min(1).max(500),
    cwd: z.string().min(1).max(4096),
    title: z.string().max(500).optional(),
  }),
  z.object({ id, control: z.literal("session.resume"), thread_id: threadId, ...choices }),
  z.object({ id, control: z.literal("session.close"), thread_id: threadId }),
  /** Gives an agent that is starting its whole time again. */
  z.object({ id, control: z.literal("session.wait"), thread_id: threadId }),
  /** A thread whose worktree has work that is not committed is deleted only with `discard`, and that work with it. */
  z.object({
    id,
    control: z.literal("session.delete"),
    thread_id: threadId,
    discard: z.boolean().optional(),
    /** Only says whether it would be refused. */
    dry_run: z.boolean().optional(),
  }),
  z.object({ id, control: z.literal("session.set_mode"), thread_id: threadId, mode_id: z.string().max(200) }),
  z.object({
    id,
    control: z.literal("session.set_config_option"),
    thread_id: threadId,
    config_id: z.string().max(200),
    value: json,
  }),
  z.object({
    id,
    control: z.literal("run.submit"),
    thread_id: threadId,
    prompt_id: z.string().min(1).max(200),
    prompt: z.array(contentBlock).min(1).readonly(),
    /** Into the running turn, where the agent can; else it is queued. */
    steer: z.boolean().optional(),
    /** For this prompt only. */
    model: choices.model,
  }),
  z.object({
    id,
    control: z.literal("run.edit"),
    thread_id: threadId,
    turn_id: z.string().min(1).max(200),
    prompt: z.array(contentBlock).min(1).readonly(),
  }),
  z.object({ id, control: z.literal("run.remove"), thread_id: threadId, turn_id: z.string().min(1).max(200) }),
  z.object({ id, control: z.literal("run.cancel"), thread_id: threadId }),
  /** Runs the prompts that were held back when a turn was cancelled or failed, or the host stopped. */
  z.object({ id, control: z.literal("run.continue"), thread_id: threadId }),
  /** Runs an ended command of the host's terminals again, with more rights than its sandbox gave. The agent gets its output as a prompt. */
  z.object({
    id,
    control: z.literal("terminal.run_again"),
    thread_id: threadId,
    terminal_id: z.string().min(1).max(200),
    to: z.enum(["outside", "network", "write"]),
    /** For `write`. */
    folder: z.string().min(1).max(8192).optional(),
  }),
  /** Opens a port of a program of the thread to the browser on the host's machine, or closes it. `ports.list` has the address. */
  z.object({
    id,
    control: z.enum(["port.open", "port.close"]),
    thread_id: threadId,
    port: z.number().int().min(1).max(65_535),
  }),
  /** Puts files back to how they were when the prompt of a turn was sent, or undoes a restore when `to_turn_id` is one. */
  z.object({
    id,
    control: z.literal("changes.restore"),
    thread_id: threadId,
    to_turn_id: z.string().min(1).max(200),
    /** Only these; without it, every file that the thread changed since. */
    paths: z.array(z.string().min(1).max(8192)).min(1).max(10_000).optional(),
    /** Only these hunks of the difference between then and now, as `changes.diff` gave them. */
    hunks: z
      .array(
        z.object({
          path: z.string().min(1).max(8192),
          old_start: seq,
          old_lines: seq,
          new_start: seq,
          new_lines: seq,
        }),
      )
      .min(1)
      .max(10_000)
      .optional(),
    /** Says what would happen, and changes nothing. */
    dry_run: z.boolean().optional(),
  }),
  /** Commits these files of the thread's repository, as the user's own `git commit` would. Paths as `git.state` has them. */
  z.object({
    id,
    control: z.literal("git.commit"),
    thread_id: threadId,
    message: z.string().trim().min(1).max(20_000),
    paths: z.array(z.string().min(1).max(8192)).min(1).max(10_000),
  }),
  /** Merges the branch of the thread's worktree into the one that it was made from. */
  z.object({ id, control: z.literal("git.merge"), thread_id: threadId }),
  /** Opens a file of the thread's folder in the user's editor, on the host's machine. */
  z.object({
    id,
    control: z.literal("editor.open"),
    thread_id: threadId,
    path: z.string().min(1).max(8192),
    line: z.int().positive().optional(),
  }),
  z.object({
    id,
    control: z.literal("permission.respond"),
    thread_id: threadId,
    permission_id: z.string().min(1).max(200),
    /** One of the options of the question; null denies it, also where the agent offered no way to say no. */
    option_id: z.string().max(500).nullable(),
    remember: z.enum(["once", "turn", "thread", "folder", "always"]).optional(),
    /** The rule to remember, instead of the narrowest one: `allow MATCH` or only MATCH, such as one of the row's `wider_rules`. */
    rule: z.string().min(1).max(60_000).optional(),
    /** What the agent is told about a denial. */
    comment: z.string().min(1).max(10_000).optional(),
    /** Other questions of the thread that get the same answer, for this once. */
    also: z.array(z.string().min(1).max(200)).max(500).optional(),
    /** Who answers: a person, or a command without a person, which denies what no rule allows. */
    decided_by: z.enum(["person", "command"]).optional(),
  }),
  z.object({
    id,
    control: z.literal("elicitation.respond"),
    thread_id: threadId,
    elicitation_id: z.string().min(1).max(200),
    action: z.enum(["accept", "decline", "cancel"]),
    /** The answers to a form, by field; only with `accept`. Checked against the schema that the agent sent. */
    content: z.record(z.string(), json).optional(),
    decided_by: z.enum(["person", "command"]).optional(),
  }),
  z.object({
    id,
    control: z.literal("rules.save"),
    decision: z.enum(["allow", "ask", "deny"]),
    match: z.string().min(1).max(4000),
    scope: z
      .strictObject({ type: z.enum(["thread", "folder"]), id: z.string().min(1).max(4096) })
      .nullable()
      .optional(),
  }),
  z.object({ id, control: z.literal("rules.delete"), rule_id: z.string().min(1).max(200) }),
  z.object({ id, control: z.literal("agents.test"), agent_id: z.string().min(1).max(200) }),
  /** Logs in to an agent in a way that it offers and goes by itself; answered as `agents.test` is, which follows. */
  z.object({
    id,
    control: z.literal("agents.log_in"),
    agent_id: z.string().min(1).max(200),
    method_id: z.string().min(1).max(200),
  }),
  /** Ends an agent's log-in, where it offers that; answered as `agents.test` is. */
  z.object({ id, control: z.literal("agents.log_out"), agent_id: z.string().min(1).max(200) }),
  /** Installs an agent into Signalbox's own folder and tests it; `host.progress` has the output. Answered as `agents.test` is. */
  z.object({ id, control: z.literal("agents.install"), agent_id: z.string().min(1).max(200) }),
  z.object({ id, control: z.literal("agents.cancel_install"), agent_id: z.string().min(1).max(200) }),
  /** Keeps a key for an agent, in a variable that the agent reads. It is never sent back. */
  z.object({
    id,
    control: z.literal("keys.save"),
    agent_id: z.string().min(1).max(200),
    variable: z.string().min(1).max(200),
    value: z.string().min(1).max(10_000),
  }),
  z.object({
    id,
    control: z.literal("keys.remove"),
    agent_id: z.string().min(1).max(200),
    variable: z.string().min(1).max(200),
  }),
  /** Changes keys of the user's config.json, all or none; without a value the key is removed. */
  z.object({
    id,
    control: z.literal("config.edit"),
    changes: z
      .array(
        z.strictObject({
          path: z
            .array(z.union([z.string().min(1).max(500), z.number().int().nonnegative()]))
            .min(1)
            .max(10),
          value: z.unknown().optional(),
        }),
      )
      .min(1)
      .max(100),
  }),
  /** Gets the newest list of the ACP registry. */
  z.object({ id, control: z.literal("registry.refresh") }),
  /** Gets the newest list of models, with their prices. */
  z.object({ id, control: z.literal("models.refresh") }),
  /** Starts the MCP servers of config.json once, and says what became of each. */
  z.object({ id, control: z.literal("mcp.test") }),
  /** Starts Ollama, which ends with Signalbox. Answered when it answers. */
  z.object({ id, control: z.literal("ollama.start") }),
  /** Makes a code by which one device is paired; with an address under which devices reach this host. Refused to devices. */
  z.object({ id, control: z.literal("devices.pair"), address: z.string().trim().min(1).max(500).optional() }),
  /** Its token is worth nothing any more, and its connections end. */
  z.object({ id, control: z.literal("devices.remove"), device_id: z.string().min(1).max(200) }),
  /** Where a browser's notifications go, as its `PushSubscription` says. A device need not name itself. */
  z.object({
    id,
    control: z.literal("push.subscribe"),
    device_id: z.string().min(1).max(200).optional(),
    subscription: z.strictObject({
      endpoint: z.string().min(1).max(2000),
      p256dh: z.string().regex(/^[\w-]{80,100}$/),
      auth: z.string().regex(/^[\w-]{20,30}$/),
    }),
  }),
  z.object({ id, control: z.literal("push.unsubscribe"), device_id: z.string().min(1).max(200).optional() }),
  z.object({ id, control: z.literal("data.vacuum") }),
  /** Takes secrets out of a thread, or of all. */
  z.object({ id, control: z.literal("data.redact"), thread_id: z.string().min(1).max(200).optional() }),
  z.object({ id, control: z.literal("import.start"), source: z.enum(["claude", "codex"]) }),
  z.object({ id, control: z.literal("tvx.ping") }),
]);

export type ClientMessage = z.infer<typeof clientMessage>;
export type Control = ClientMessage["control"];
export type ClientMessageOf<C extends Control> = Extract<ClientMessage, { control: C }>;
export type RequestId = string | number;
