// Answers requests about agents: testing, installing and logging in, their keys, and the lists of agents and models.
import { type KeyStore, readKey } from "@signalbox/config/keys";
import { type AgentTestRow, type McpServerRow, messageOf, type RequestParams, toFields } from "@signalbox/protocol";
import type { DataFolder } from "../data/data-folder.ts";
import type { ProgressSender, SomeQueries, SomeRequests } from "../data/handlers.ts";
import { HostError } from "../data/host-error.ts";
import { refreshModelList } from "../data/model-list.ts";
import type { LiveConfig } from "../data/user-config.ts";
import type { AcpRegistry } from "./acp-registry/acp-registry.ts";
import { signalboxAgentId } from "./all-agents.ts";
import type { Installer } from "./install/installer.ts";
import type { Ollama } from "./ollama.ts";
import type { ProbeOptions } from "./probe-place.ts";
import type { ReadinessTracker } from "./readiness-tracker.ts";
import type { AgentDefinition, AgentRegistry } from "./registry.ts";

interface TestServices {
  readonly agents: AgentRegistry;
  readonly readiness: ReadinessTracker;
  readonly fanOut: ProgressSender;
}

interface KeyServices extends Pick<TestServices, "agents" | "readiness"> {
  readonly keys: KeyStore;
  readonly userConfig: LiveConfig;
}

export const agentHandlers = {
  "agents.add": (params, { agents }) => ({ agent_id: agents.addCommand(params) }),
  "agents.test": async ({ agent_id }, services) => ({ test: await testAgent(findAgent(agent_id, services), services) }),
  "agents.log_in": async ({ agent_id, method_id }, services) => {
    const agent = findAgent(agent_id, services);
    const report = reporter(agent, services.fanOut);
    // Inside the sandbox an agent cannot open the browser: the person does.
    const showPage = (output: string) => {
      const [page] = /https:\/\/[^\s"'<>]+/.exec(output) ?? [];
      if (page !== undefined) report(`To log in, open ${page}`, false);
    };
    await reportStep(agent, "Logging in …", services, services.readiness.logIn(agent, method_id, showPage));
    return { test: await testAgent(agent, services) };
  },
  "agents.log_out": async ({ agent_id }, services) => {
    const agent = findAgent(agent_id, services);
    await reportStep(agent, "Logging out …", services, services.readiness.logOut(agent));
    return { test: await testAgent(agent, services) };
  },
} satisfies SomeRequests<TestServices>;

export const installHandlers = {
  "agents.install": async ({ agent_id }, services) => {
    const agent = findAgent(agent_id, services);
    await installAgent(agent, services);
    return { test: await testAgent(agent, services) };
  },
  "agents.cancel_install": ({ agent_id }, { installer }) => installer.cancel(agent_id),
} satisfies SomeRequests<TestServices & { readonly installer: Installer }>;

export const keyHandlers = {
  "keys.save": async (params, services) => ({ note: await saveKey(params, services) }),
  "keys.remove": async (params, services) => {
    checkVariable(params, services);
    await services.keys.remove(params.agent_id, params.variable).catch(rethrowKeyProblem);
    services.readiness.recordSuccess(params.agent_id);
  },
} satisfies SomeRequests<KeyServices>;

export const listHandlers = {
  "registry.refresh": async (_params, { acpRegistry, refreshAgents }) => {
    await acpRegistry.refresh();
    refreshAgents();
  },
  "models.refresh": async (_params, { folder }) => {
    await refreshModelList(folder.path);
  },
  "ollama.start": async (_params, { ollama }) => {
    await ollama.start();
  },
} satisfies SomeRequests<{
  readonly acpRegistry: AcpRegistry;
  readonly refreshAgents: () => void;
  readonly folder: DataFolder;
  readonly ollama: Ollama;
}>;

interface McpServices {
  readonly agents: AgentRegistry;
  readonly userConfig: LiveConfig;
  readonly probes: ProbeOptions;
}

export const mcpHandlers = {
  "mcp.test": async (_params, services) => ({ servers: await testMcpServers(services) }),
} satisfies SomeRequests<McpServices>;

export const agentQueryHandlers = {
  "agents.list": async ({ versions }, { userConfig, readiness }) => {
    userConfig.refresh();
    return { rows: await readiness.listRows({ versions: versions === true }) };
  },
} satisfies SomeQueries<Pick<KeyServices, "userConfig" | "readiness">>;

function findAgent(id: string, { agents }: Pick<TestServices, "agents">): AgentDefinition {
  const agent = agents.find(id);
  if (agent === undefined) throw new HostError("not_found", `There is no agent ${id}.`);
  return agent;
}

/** Tests an agent and sends the steps to every screen. */
async function testAgent(agent: AgentDefinition, { readiness, fanOut }: TestServices): Promise<AgentTestRow> {
  const report = reporter(agent, fanOut);
  const test = await readiness.test(agent, { onStep: (step) => report(step.message, false) });
  report(test.reason ?? "It works.", true);
  return test;
}

/** Sends to every screen that a step before a test has begun, and that it failed. */
async function reportStep(
  agent: AgentDefinition,
  message: string,
  { fanOut }: TestServices,
  step: Promise<unknown>,
): Promise<void> {
  const report = reporter(agent, fanOut);
  report(message, false);
  await step.catch((error: unknown) => {
    report(messageOf(error), true);
    throw error;
  });
}

function reporter(agent: AgentDefinition, fanOut: ProgressSender): (message: string, finished: boolean) => void {
  return (message, finished) =>
    fanOut.sendProgress({ type: "host.progress", task: "agents.test", subject: agent.id, message, finished });
}

/** Installs the agent and sends its output to every screen. Throws a HostError. */
async function installAgent(
  agent: AgentDefinition,
  { installer, fanOut, readiness }: TestServices & { readonly installer: Installer },
): Promise<void> {
  const report = (progress: { message: string; output?: string; done?: number; total?: number }, finished: boolean) =>
    fanOut.sendProgress({ type: "host.progress", task: "agents.install", subject: agent.id, ...progress, finished });
  try {
    await installer.install(agent, (progress) => report(progress, false));
  } catch (error) {
    // A second installation that was refused must not look like the end of the running one.
    if (!installer.isRunning(agent.id)) report({ message: messageOf(error) }, true);
    throw error;
  }
  readiness.recordSuccess(agent.id);
  report({ message: "Installed." }, true);
}

/** Tests a key, keeps it unless its provider refuses it, and returns the provider's answer. Throws a HostError. */
async function saveKey(params: RequestParams<"keys.save">, services: KeyServices): Promise<string> {
  const { agent_id, variable, value } = params;
  checkVariable(params, services);
  const save = async () => {
    const key = readKey(value);
    // The addresses of config.json are for our own agent.
    const settings = agent_id === signalboxAgentId ? services.userConfig.config.providers : {};
    const { testKey } = await import("./test-key.ts");
    const test = await testKey(variable, key, settings, process.env);
    if (test.result === "refused") throw new Error(test.text);
    await services.keys.save(agent_id, variable, key);
    return test.text;
  };
  const text = await save().catch(rethrowKeyProblem);
  // The agent may have lacked exactly this key.
  services.readiness.recordSuccess(agent_id);
  return text;
}

/** Any other variable would change how the agent's program behaves. */
function checkVariable({ agent_id, variable }: RequestParams<"keys.remove">, services: KeyServices): void {
  const agent = findAgent(agent_id, services);
  if (agent.keys?.variables.includes(variable) !== true)
    throw new HostError("bad_request", `${agent.label} does not read a key from ${variable}.`);
}

function rethrowKeyProblem(error: unknown): never {
  throw new HostError("bad_request", messageOf(error), { cause: error });
}

/** The state of each MCP server of the user's config.json. Those that are switched off are not started. */
async function testMcpServers({ userConfig, probes, ...services }: McpServices): Promise<readonly McpServerRow[]> {
  userConfig.refresh();
  const names = Object.entries(userConfig.config.mcpServers.user).flatMap(([name, server]) =>
    toFields(server).disabled === true ? [] : [name],
  );
  if (names.length === 0) return [];
  const { startMcpServers } = await import("./test-mcp-servers.ts");
  const found = await startMcpServers(findAgent("demo", services), probes);
  const problem = "It needs a command, or an address (url) that begins with http.";
  return names.map(
    (name) =>
      found.find((row) => row.name === name) ?? {
        name,
        status: "failed",
        tools: null,
        tool_names: [],
        left_out: [],
        problem,
        starting_since: null,
        restart: null,
        log_in: null,
      },
  );
}
