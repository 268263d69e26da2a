// Describes how a thread's agent is really sandboxed: its own process, and its commands. Claims only what is certain; anything unknown counts as open.
import { homedir } from "node:os";
import type { ThreadSandbox } from "@signalbox/protocol";
import { type AgentPlaces, describeEnforcement, type Enforcement, goesByName, isWhole } from "@signalbox/sandbox";
import type { AgentDefinition } from "../agents/registry.ts";
import type { AgentPlacement } from "../agents/sandbox-agent.ts";

type Access = "sandbox" | "rx" | "rwx" | "off";

interface SandboxFacts {
  readonly definition: Pick<AgentDefinition, "label" | "commands" | "sandbox">;
  /** Whether the agent's own process is sandboxed, or why not. */
  readonly placement: AgentPlacement;
  readonly enforcement: Enforcement;
  /** The sandbox of the config, for this thread's folder. */
  readonly mode: Access;
  readonly network: boolean;
  /** The hosts of a network by name; undefined where it does not go by name. */
  readonly networkAllow?: readonly string[] | undefined;
  /** Whether commands that the sandbox holds are asked about all the same. */
  readonly asksCommands: boolean;
  /** The session's mode; null where the agent has none. */
  readonly modeId: string | null;
}

export function describeThreadSandbox(facts: SandboxFacts): ThreadSandbox {
  const { placement } = facts;
  if (placement.type === "sandboxed") return describeWholeAgent(facts, placement);
  const sandbox = describeCommands(facts);
  return placement.why === undefined
    ? sandbox
    : { ...sandbox, detail: `${sandbox.detail} ${explainUnsandboxed(facts, placement.why)}` };
}

function explainUnsandboxed({ definition: { label } }: SandboxFacts, why: string): string {
  return `${label} itself is not inside the sandbox. ${why}`;
}

/** The agent's process is sandboxed, with everything that it starts. */
function describeWholeAgent(
  { definition: { label, sandbox }, mode, networkAllow }: SandboxFacts,
  { places, hosts }: Extract<AgentPlacement, { type: "sandboxed" }>,
): ThreadSandbox {
  const own = places.layers.map(({ path }) => withTilde(path));
  const detail = [
    `${label} runs inside Signalbox's sandbox, with everything that it starts. ${writes[mode === "off" ? "rwx" : mode]}`,
    "Its home folder is a private one, in which toolchains show and nothing else of yours.",
    own.length === 0 ? "" : describeState(own, places),
    sandbox?.note ?? "",
    networkAllow === undefined
      ? "It has the network."
      : byName("it reaches", [...new Set([...networkAllow, ...hosts])]),
  ];
  const reach = networkAllow === undefined ? "on" : "allow-list";
  return { by: "signalbox", network: reach, detail: detail.filter((part) => part !== "").join(" ") };
}

function describeState(own: readonly string[], { layers }: AgentPlaces): string {
  const isLayered = layers.some(({ standIn }) => standIn.type === "overlay");
  const how = isLayered
    ? "is a layer over the real one: log-ins and older sessions are there, and what it writes stays in the layer"
    : "is a private copy of its settings and log-in, without older sessions";
  return `Its state in ${own.join(", ")} ${how}.`;
}

const writes = {
  sandbox:
    "It writes in the thread's folder, in temporary folders, in Signalbox's folders for caches and where your config allows it, nowhere else.",
  rx: "It cannot write in the thread's folder.",
  rwx: "It writes anywhere but in protected places.",
} as const;

const maxNamed = 12;

function byName(whoReaches: string, hosts: readonly string[]): string {
  const named = hosts.length === 0 ? "no host" : hosts.slice(0, maxNamed).join(", ");
  const rest = hosts.length > maxNamed ? ` and ${hosts.length - maxNamed} more` : "";
  return `The network goes by name: ${whoReaches} ${named}${rest}, and what you allow when you are asked.`;
}

function withTilde(path: string): string {
  const home = homedir();
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

function describeCommands(facts: SandboxFacts): ThreadSandbox {
  switch (facts.definition.commands) {
    case "in_our_sandbox":
      return describeSignalboxAgent(facts);
    case "in_our_terminals":
    case "shell_in_our_terminals":
      return inOurSandbox(facts, facts.mode, "They have no network.");
    case "in_own_sandbox": {
      const detail = `${facts.definition.label}'s own process runs with your rights. It runs commands in a sandbox of its own, as its own settings say. Signalbox does not check it. ${throughUs(facts)}`;
      return { by: "agent", network: "on", detail: detail.trim() };
    }
    case undefined: {
      const detail = `${facts.definition.label} runs with your rights: neither its own process nor the commands that it runs itself are sandboxed. ${throughUs(facts)}`;
      return { by: "none", network: "on", detail: detail.trim() };
    }
  }
}

/** Our agent's session modes are those of the sandbox. */
function describeSignalboxAgent(facts: SandboxFacts): ThreadSandbox {
  const { modeId, mode } = facts;
  if (modeId === "plan") {
    return { by: "signalbox", network: "off", detail: "In the mode plan the agent only reads. It runs no commands." };
  }
  const access = modeId === "sandbox" || modeId === "rx" || modeId === "rwx" ? modeId : mode;
  return inOurSandbox(
    facts,
    access === "rwx" && mode === "off" ? "off" : access,
    "They get the network only if you allow it.",
  );
}

function inOurSandbox(
  { definition: { label, commands }, enforcement, network, networkAllow, asksCommands }: SandboxFacts,
  access: Access,
  withoutNetwork: string,
): ThreadSandbox {
  if (access === "off" || enforcement.kind === "off") {
    const detail = `The sandbox is off in your config: ${label} and its commands have your rights.`;
    return { by: "none", network: "on", detail };
  }
  if (enforcement.kind === "unavailable") {
    const { reason, remedy } = enforcement;
    return { by: "signalbox", network: "off", detail: `There is no sandbox, so no command runs: ${reason} ${remedy}` };
  }
  const isByName = networkAllow !== undefined && goesByName(enforcement);
  const isShellOnly = commands === "shell_in_our_terminals";
  const detail = [
    `Commands ${isShellOnly ? "of its shell tool run through Signalbox," : "run"} in Signalbox's sandbox. ${writing[access]}`,
    isByName ? byName("they reach", networkAllow) : network ? "They have the network." : withoutNetwork,
    commands === "in_our_sandbox" && canAutoAllowSandboxed({ enforcement, access, network, asksCommands })
      ? "They run without asking, unless a rule speaks about them."
      : "",
    `The program ${label} itself runs with your rights${isShellOnly ? ", and so does what it starts besides, such as its extensions" : ""}.`,
    ...(isWhole(enforcement)
      ? []
      : [`On this machine: ${describeEnforcement(enforcement).replace(/^sandbox on: /, "")}.`]),
  ]
    .filter((part) => part !== "")
    .join(" ");
  return { by: "signalbox", network: isByName ? "allow-list" : network ? "on" : "off", detail };
}

const writing = {
  sandbox:
    "They write in the thread's folder, in temporary folders, in Signalbox's folders for caches and where your config allows it, nowhere else.",
  rx: "They cannot write in the thread's folder.",
  rwx: "They write anywhere but in protected places.",
} as const;

/** Whether a command of our agent without the network needs no permission: only where the sandbox really holds it. */
export function canAutoAllowSandboxed({
  enforcement,
  access,
  network,
  asksCommands,
}: Pick<SandboxFacts, "enforcement" | "network" | "asksCommands"> & { readonly access: Access }): boolean {
  return !asksCommands && !network && (access === "sandbox" || access === "rx") && isWhole(enforcement);
}

/** What holds for commands that any agent runs in a terminal of the host. */
function throughUs({ enforcement }: SandboxFacts): string {
  const isOn = enforcement.kind !== "off" && enforcement.kind !== "unavailable";
  return isOn ? "Only commands that it runs through Signalbox are in Signalbox's sandbox." : "";
}
