// Makes the SDK's options for a session: folder, tools, permissions.
import type { CanUseTool, OnElicitation, PermissionMode, QueryOptions, SdkMcpServerConfig } from "../sdk/sdk.ts";
import type { ClientTools } from "../tools/client-tools.ts";
import type { SessionInstructions } from "./session-services.ts";

export interface SessionFacts {
  readonly id: string;
  readonly cwd: string;
  readonly folders: readonly string[];
  readonly servers: Readonly<Record<string, SdkMcpServerConfig>>;
  readonly tools: ClientTools;
  /** The program of Claude Code. */
  readonly program: string;
  readonly instructions: SessionInstructions;
  readonly mode: PermissionMode;
  readonly model: string | null;
  readonly mayBypass: boolean;
  /** Whether Claude Code has this session already. */
  readonly isStored: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  readonly canUseTool: CanUseTool;
  readonly onElicitation: OnElicitation | null;
}

export function queryOptions(facts: SessionFacts): QueryOptions {
  const { id, cwd, folders, servers, tools, mode, model, isStored, canUseTool } = facts;
  const append = describeInstructions(facts.instructions);
  return {
    cwd,
    ...(folders.length > 0 && { additionalDirectories: [...folders] }),
    ...(isStored ? { resume: id } : { sessionId: id }),
    ...(model !== null && { model }),
    permissionMode: mode,
    ...(facts.mayBypass && { allowDangerouslySkipPermissions: true }),
    systemPrompt: { type: "preset", preset: "claude_code", ...(append !== "" && { append }) },
    ...ownSettingsOnly(facts.program),
    includePartialMessages: true,
    mcpServers: { ...servers },
    disallowedTools: [...tools.replaced],
    toolAliases: { ...tools.aliases },
    canUseTool,
    ...(facts.onElicitation !== null && { onElicitation: facts.onElicitation }),
    env: claudeEnvironment(facts),
  };
}

/**
 * Claude Code runs outside the sandbox, and the folder may be a stranger's or written by a command: its settings, hooks, helpers and servers are
 * not obeyed. Every start of Claude Code has these options.
 */
export function ownSettingsOnly(program: string): Pick<QueryOptions, "settingSources" | "pathToClaudeCodeExecutable"> {
  return { settingSources: ["user"], pathToClaudeCodeExecutable: program };
}

/** Without the project's settings, Claude Code reads no CLAUDE.md of the folder. */
function describeInstructions({ user, project }: SessionInstructions): string {
  return [
    ...(user === "" ? [] : [`# The user's instructions\n${user}`]),
    ...(project === "" ? [] : [`# The project's instructions\n${project}`]),
  ].join("\n\n");
}

/** The user's own environment, because Claude Code is configured through it; what we want is only a default, but for what would confuse it. */
function claudeEnvironment({ env, tools, version }: SessionFacts): NodeJS.ProcessEnv {
  const runsCommands = tools.replaced.includes("Bash");
  return {
    // The plan comes from TodoWrite, which is a tool of its own only without the newer task lists.
    CLAUDE_CODE_ENABLE_TASKS: "0",
    CLAUDE_CODE_ENABLE_TODO_TOOLS: "1",
    // A prompt of ACP lasts until its work is done: sub-agents are waited for. Our Bash has a background of its own.
    ...(runsCommands && { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1" }),
    ...env,
    ...disableFsMonitor(env),
    CLAUDE_AGENT_SDK_CLIENT_APP: `signalbox/${version}`,
    // Set inside Claude Code: one that finds it does not want to run in itself.
    CLAUDECODE: undefined,
  };
}

/**
 * Claude Code runs git in the folder, outside the sandbox, and a command may have made a repository there with settings of its choice. Git then starts
 * no program that `core.fsmonitor` names, and runs no hook because it only looks: without optional locks it does not write the index.
 */
function disableFsMonitor(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const count = Number.parseInt(env.GIT_CONFIG_COUNT ?? "0", 10) || 0;
  return {
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: "core.fsmonitor",
    [`GIT_CONFIG_VALUE_${count}`]: "false",
    GIT_OPTIONAL_LOCKS: "0",
  };
}
