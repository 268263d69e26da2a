// Requests about threads and their turns.
import { z } from "zod";
import type { AgentActivityRow, AgentSessionRow, BudgetRow, PortRow, ProcessRow, RetentionRow } from "../rows.ts";
import type { RunAgainRow } from "../run-again-row.ts";
import { type ActionDefinition, type QueryDefinition, result } from "./define.ts";
import type { ThreadResult } from "./fields.ts";
import {
  agentId,
  choices,
  digest,
  folder,
  mcpServer,
  model,
  ofThread,
  openJson,
  path,
  prompt,
  seq,
  text,
  threadId,
  title,
  turnId,
} from "./fields.ts";

export type SubmittedPrompt = {
  readonly thread_id: string;
  readonly turn_id: string;
  readonly prompt_id: string;
  /** It waits for the running turn to end. */
  readonly queued: boolean;
  /** Whether it went into the running turn; only where the request asked for that. */
  readonly steered?: boolean;
};

const port = z.number().int().min(1).max(65_535);

const chosenVariables = z
  .array(z.string().max(1000))
  .max(1000)
  .optional()
  .describe("names of the agent's variables that the command gets; it has none of the others");

export const sessionRequests = {
  "tvx.update_thread": {
    about: "Changes a thread's title, or archives or pins it.",
    params: z.object({
      thread_id: threadId,
      updates: z.strictObject({
        title: title.nullable().optional(),
        archived: z.boolean().optional(),
        pinned: z.boolean().optional(),
      }),
    }),
    result: result<ThreadResult>("thread_id", "thread"),
  },
  "session.create": {
    about: "Starts an agent in a folder, as a new thread.",
    params: z.object({
      agent_id: agentId,
      cwd: folder,
      title: title.optional(),
      ...choices,
      machine: z.string().min(1).max(64).optional().describe("another machine that shares its threads"),
      mcp_servers: z.array(mcpServer).readonly().optional(),
      additional_directories: z
        .array(folder)
        .max(20)
        .optional()
        .describe("further folders; `bad_request` if the agent supports only one"),
      worktree: z
        .strictObject({ branch: z.string().min(1).max(200).optional() })
        .optional()
        .describe("work in a new git worktree: on this branch, or on one named after the title"),
      sandbox: z
        .boolean()
        .optional()
        .describe("run the whole agent in the sandbox, or not; the default is in the config"),
    }),
    result: result<ThreadResult>("thread_id", "thread"),
    remote: true,
  },
  "session.fork": {
    about:
      "Starts a new thread that continues from where this one is, or from before one of its prompts; `conflict` while a turn runs.",
    params: z.object({
      thread_id: threadId,
      title: title.optional(),
      before_seq: seq.optional().describe("the `seq` of a prompt"),
    }),
    result: result<ThreadResult>("thread_id", "thread"),
  },
  "session.hand_over": {
    about:
      "Continues the thread with another agent, which gets a summary of up to 80,000 characters; `conflict` while a turn runs.",
    params: z.object({ thread_id: threadId, agent_id: agentId }),
    result: result<ThreadResult>("thread_id", "thread"),
  },
  "session.adopt": {
    about: "Makes a thread of a session that the agent has and the register does not (`agent_sessions.list`).",
    params: z.object({
      agent_id: agentId,
      session_id: z.string().min(1).max(500),
      cwd: folder,
      title: title.optional(),
    }),
    result: result<ThreadResult>("thread_id", "thread"),
  },
  "session.resume": {
    about: "Starts the agent of a thread again; `bad_request` if the agent does not offer a choice that is given.",
    params: z.object({ thread_id: threadId, ...choices }),
    result: result<ThreadResult>("thread_id", "thread"),
    remote: true,
  },
  "session.close": {
    about: "Stops the agent of a thread. The thread stays.",
    params: ofThread,
    result: result<void>(),
    remote: true,
  },
  "session.wait": {
    about: "Restarts the time limit of an agent that is starting.",
    params: ofThread,
    result: result<void>(),
    remote: true,
  },
  "session.delete": {
    about: "Deletes a thread; `conflict` with `details.files` if its worktree has uncommitted work.",
    params: z.object({
      thread_id: threadId,
      discard: z.boolean().optional().describe("delete uncommitted work too"),
      dry_run: z.boolean().optional().describe("only report whether it would be refused"),
    }),
    result: result<void>(),
  },
  "session.set_mode": {
    about: "Sets the agent's mode.",
    params: z.object({ thread_id: threadId, mode_id: z.string().max(200) }),
    result: result<void>(),
    remote: true,
  },
  "session.set_config_option": {
    about: "Sets one of the agent's options.",
    params: z.object({ thread_id: threadId, config_id: z.string().max(200), value: openJson }),
    result: result<void>(),
    remote: true,
  },
  "run.submit": {
    about: "Sends a prompt. The same `prompt_id` again gets the same answer and runs nothing.",
    params: z.object({
      thread_id: threadId,
      prompt_id: z.string().min(1).max(200),
      prompt,
      steer: z.boolean().optional().describe("into the running turn, if the agent supports it; else it is queued"),
      model: model.describe("for this prompt only"),
    }),
    result: result<SubmittedPrompt>("thread_id", "turn_id", "prompt_id", "queued", "steered"),
    answer: "run.submitted",
    remote: true,
  },
  "run.edit": {
    about: "Changes a queued prompt.",
    params: z.object({ thread_id: threadId, turn_id: turnId, prompt }),
    result: result<void>(),
    remote: true,
  },
  "run.remove": {
    about: "Takes a prompt out of the queue.",
    params: z.object({ thread_id: threadId, turn_id: turnId }),
    result: result<void>(),
    remote: true,
  },
  "run.cancel": { about: "Ends the running turn.", params: ofThread, result: result<void>(), remote: true },
  "run.continue": {
    about: "Runs the prompts that were held back when a turn was cancelled or failed, or the host stopped.",
    params: ofThread,
    result: result<void>(),
    remote: true,
  },
  "terminal.run_again": {
    about: "Runs an ended command again with more rights and sends its output to the agent as a prompt.",
    params: z.object({
      thread_id: threadId,
      terminal_id: z.string().min(1).max(200),
      to: z.enum(["outside", "network", "write"]),
      folder: path.optional().describe("for `write`"),
      variables: chosenVariables,
      shown: digest
        .optional()
        .describe("a digest of the row of `run_again.preview` as it was shown; another one is refused"),
    }),
    result: result<void>(),
  },
  "port.open": {
    about:
      "Opens a port on which a program of the thread listens to the browser on the host's machine; `ports.list` has the address.",
    params: z.object({ thread_id: threadId, port }),
    result: result<void>(),
  },
  "port.close": {
    about: "Closes a port again.",
    params: z.object({ thread_id: threadId, port }),
    result: result<void>(),
  },
} as const satisfies Record<string, ActionDefinition>;

export const sessionQueries = {
  "agent_sessions.list": {
    about: "The sessions that an agent itself remembers (ACP `session/list`); `bad_request` if it cannot list them.",
    params: z.object({ agent_id: z.string(), cwd: text, cursor: text }),
    row: result<AgentSessionRow>("agent_id", "session_id", "cwd", "title", "updated_at", "thread_id"),
  },
  "ports.list": {
    about: "The ports on which programs of a thread listen; `url` is null while a port is not open to the browser.",
    params: z.object({ thread_id: z.string() }),
    row: result<PortRow>("port", "is_listening", "url"),
    onlyThere: "Its servers can be reached",
  },
  "run_again.preview": {
    about: "What `terminal.run_again` would run: the command with its folder, variables and programs.",
    params: z.object({
      thread_id: threadId,
      terminal_id: z.string().min(1).max(200),
      to: z.enum(["outside", "network", "write"]),
      folder: path.optional(),
      variables: chosenVariables,
    }),
    row: result<RunAgainRow>("subject", "outside", "variables"),
    onlyThere: "Its commands can be run again",
  },
  "budgets.get": {
    about: "Today's spending and budget, and those of a thread's session.",
    params: z.object({ thread_id: text }),
    row: result<BudgetRow>("scope", "spent", "limit"),
  },
  "retention.preview": {
    about: "How many threads a retention of this many days would delete now.",
    params: z.object({ days: z.number().positive() }),
    row: result<RetentionRow>("threads"),
  },
  "processes.list": {
    about: "Processes of agents and commands that run now.",
    params: z.object({ thread_id: text }),
    row: result<ProcessRow>("thread_id", "pid", "command", "started_at", "memory_bytes"),
  },
  "agents.activity": {
    about:
      "The start step, open requests, tools, MCP servers and output of a thread's agent; no row if it does not run.",
    params: z.object({ thread_id: z.string() }),
    row: result<AgentActivityRow>("step", "requests", "tools", "mcp_servers", "output"),
  },
} as const satisfies Record<string, QueryDefinition>;
