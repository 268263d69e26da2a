// Builds what a session works with: our tools and those of MCP servers, skills, instructions and the workspace.

import { homedir } from "node:os";
import type { McpServer } from "@agentclientprotocol/sdk";
import { type Instructions, loadInstructions, type ProjectOrigin } from "@signalbox/agent-kit";
import { type Config, secretVariables } from "@signalbox/config";
import { LoginStore } from "@signalbox/config/logins";
import { messageOf, readTerminalSandbox, type ToolCallTracker, untilAborted } from "@signalbox/tool-calls";
import type { McpSession } from "../mcp/mcp-session.ts";
import { openMcp } from "../mcp/open-mcp.ts";
import { ToolOffer } from "../mcp/tool-offer.ts";
import { loadCommandFiles } from "../skills/load-command-files.ts";
import { loadSkills } from "../skills/load-skills.ts";
import type { Skill } from "../skills/skill.ts";
import { builtInTools } from "../tools/built-in-tools.ts";
import type { FindClosedPaths } from "../tools/commands/sandbox-options.ts";
import { Diagnostics } from "../tools/diagnostics.ts";
import type { OpenRefusal } from "../tools/files/session-files.ts";
import { openWorkspace, type WorkspaceTerminals } from "../tools/open-workspace.ts";
import type { Tool } from "../tools/tool.ts";
import type { Workspace } from "../tools/workspace.ts";
import type { SessionClient } from "./client.ts";
import type { CommandSources } from "./commands.ts";
import { gitFacts } from "./git-facts.ts";
import { collectMcpServers } from "./mcp-servers.ts";
import type { ModeId } from "./modes.ts";
import { projectHeading, systemPrompt } from "./system-prompt.ts";
import { waitForServers } from "./wait-for-servers.ts";

interface ToolboxOptions {
  readonly sessionId: string;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly home: string;
  readonly version: string;
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  readonly client: SessionClient;
  readonly mode: () => ModeId;
  readonly refusal: OpenRefusal;
  readonly closedPaths: FindClosedPaths;
  /** The files that instructed the session when it began; null for a new one. */
  readonly beginning: ProjectOrigin | null;
  /** Stores them. Called before the first request to a model. */
  readonly onBeginning: (beginning: ProjectOrigin) => void;
  /** The MCP servers that the client named. */
  readonly servers: readonly McpServer[];
  /** Problems that were found earlier. */
  readonly problems: readonly string[];
  readonly onNotice: (notice: string) => void;
  /** Called when the MCP servers have other states, tools or prompts than before. */
  readonly onServersChanged: () => void;
}

export interface Toolbox {
  readonly workspace: Workspace;
  readonly skills: readonly Skill[];
  /** Undefined where the config names no checker. */
  readonly diagnostics: Diagnostics | undefined;
  /** Files that could not be read, one sentence each. */
  readonly problems: readonly string[];
  /** All tools that there are now, whatever the mode. Those that requests do not list are marked. */
  readonly tools: readonly Tool[];
  /** Before a turn: from its first request on, requests list the same tools. */
  fixTools(): void;
  /** Where the conversation begins anew for the provider: requests list the tools of now. */
  refreshTools(): void;
  readonly mcp: McpSession;
  /** The sources of slash commands. */
  readonly commandSources: CommandSources;
  /** Resolves when the MCP servers are there, or have had their time. The wait is shown as a call. */
  ready(tracker: ToolCallTracker, signal: AbortSignal): Promise<void>;
  systemPrompt(mode: ModeId): string;
  /** Returns the project's instructions in the folders of these files, under their heading; empty if there is nothing new. */
  instructionsBelow(files: readonly string[]): Promise<string>;
  /** Returns what a shortened conversation must still say: instructions of folders that were given, and the jobs that run. */
  standingTexts(): readonly string[];
  close(): Promise<void>;
}

/** How long the first prompt waits for MCP servers that are slow to start; their tools are added when they come. */
const readyTimeoutMs = 5000;

export async function openToolbox(options: ToolboxOptions): Promise<Toolbox> {
  const { cwd, home, config, env } = options;
  const places = { cwd, home, userHome: homedir() };
  const [{ skills, problems }, files] = await Promise.all([loadSkills(places), loadCommandFiles(places)]);
  const workspace = openSessionWorkspace(options);
  const checkers = openDiagnostics(config.diagnostics, workspace);
  let git: string | undefined;
  let instructions: Instructions | undefined;
  let isStored = options.beginning !== null;
  // Git takes a moment, which the first prompt waits for, and the start of the session does not.
  const folderKnown = Promise.all([
    gitFacts(workspace).then((facts) => {
      git = facts;
    }),
    loadInstructions({ cwd, home, beginning: options.beginning ?? undefined }).then((loaded) => {
      instructions = loaded;
      for (const note of loaded.notes) options.onNotice(note);
    }),
  ]);
  const own = builtInTools({ privateHosts: config.fetch.private_hosts, skills, ...webSearch(config, env) });
  const servers = collectMcpServers({
    cwd,
    client: options.servers,
    config: config.mcpServers,
    skills,
    env,
    secretNames: secretVariables(config),
  });
  const mcp = openMcp({
    servers: servers.servers,
    workspace,
    version: options.version,
    projectNetwork: config.sandbox.network.isOpen,
    sessionId: options.sessionId,
    elicitations: options.client.elicitations,
    logins: new LoginStore(home),
    onChanged: options.onServersChanged,
    onNotice: options.onNotice,
  });
  const offer = new ToolOffer(mcp);
  const underHeading = (text: string) => (text === "" ? "" : `# ${projectHeading(options.sessionId)}\n${text}`);
  return {
    workspace,
    skills,
    diagnostics: checkers.diagnostics,
    problems: [...options.problems, ...problems, ...files.problems, ...servers.problems, ...checkers.problems],
    get tools() {
      return [...own, ...offer.tools];
    },
    fixTools: () => offer.fix(),
    refreshTools: () => {
      offer.release();
      offer.fix();
    },
    mcp,
    get commandSources() {
      return { skills, files: files.commands, prompts: mcp.prompts };
    },
    instructionsBelow: async (paths) => underHeading((await instructions?.below(paths)) ?? ""),
    standingTexts: () => {
      const { running } = workspace.jobs;
      const jobs = running.length === 0 ? "" : `Running jobs: ${running.join(", ")}. Look at them with bash_output.`;
      return [jobs, underHeading(instructions?.given() ?? "")].filter((text) => text !== "");
    },
    ready: async (tracker, signal) => {
      await untilAborted(folderKnown, signal);
      if (!isStored && instructions !== undefined) {
        isStored = true;
        options.onBeginning(instructions.beginning);
      }
      await waitForServers(mcp, tracker, readyTimeoutMs, signal);
    },
    systemPrompt: (mode) =>
      systemPrompt({
        sessionId: options.sessionId,
        cwd,
        roots: workspace.roots,
        mode,
        git,
        userInstructions: instructions?.user ?? "",
        projectInstructions: instructions?.project ?? "",
        servers: offer.instructions,
      }),
    close: async () => {
      await Promise.allSettled([mcp.close(), workspace.close()]);
    },
  };
}

function openDiagnostics(
  checkers: Config["diagnostics"],
  workspace: Workspace,
): { readonly diagnostics: Diagnostics | undefined; readonly problems: readonly string[] } {
  if (checkers.length === 0) return { diagnostics: undefined, problems: [] };
  try {
    return { diagnostics: new Diagnostics(checkers, workspace), problems: [] };
  } catch (error) {
    return { diagnostics: undefined, problems: [`No diagnostics: a glob in the config is wrong. ${messageOf(error)}`] };
  }
}

function openSessionWorkspace(options: ToolboxOptions): Workspace {
  const { sessionId, cwd, additionalDirectories, home, config, client, mode, refusal, closedPaths } = options;
  const terminals = workspaceTerminals(config, client, sessionId);
  return openWorkspace({
    cwd,
    additionalDirectories,
    home,
    refusal,
    closedPaths,
    access: () => ({
      mode: accessMode(mode(), config),
      network: config.sandbox.network.isOpen,
      readable: config.sandbox.readable,
      writable: config.sandbox.writable,
    }),
    clientFiles: client.files(sessionId),
    secretNames: secretVariables(config),
    ...(terminals !== undefined && { terminals }),
  });
}

/** By itself only terminals that are in a sandbox; others only where the user's config says so. */
function workspaceTerminals(
  { sandbox }: Config,
  client: SessionClient,
  sessionId: string,
): WorkspaceTerminals | undefined {
  const terminals = sandbox.terminal === "own" ? undefined : client.terminals(sessionId);
  if (terminals === undefined) return undefined;
  if (sandbox.terminal === "client") return { client: terminals };
  const promised = readTerminalSandbox(client.capabilities);
  return promised === undefined ? undefined : { client: terminals, sandbox: promised };
}

/** Plan mode is ours; to the sandbox it is reading and running. A sandbox that the user turned off is off where everything is allowed. */
function accessMode(mode: ModeId, { sandbox }: Config): "sandbox" | "rx" | "rwx" | "off" {
  if (mode === "plan") return "rx";
  return mode === "rwx" && sandbox.mode === "off" ? "off" : mode;
}

function webSearch(
  { web_search: search }: Config,
  env: NodeJS.ProcessEnv,
): Pick<Parameters<typeof builtInTools>[0] & object, "webSearch"> {
  if (search === undefined) return {};
  const { engine, url, api_key_env } = search;
  const apiKey = api_key_env === undefined ? undefined : env[api_key_env];
  return { webSearch: { engine, url, ...(apiKey !== undefined && { apiKey }) } };
}
