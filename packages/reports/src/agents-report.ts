// Reports which agents are installed and ready, the result of testing one, and the checks of this machine, each with what to do.
import {
  type AgentReadiness,
  type AgentRow,
  type AgentTestRow,
  type AgentTestStepRow,
  duration,
  type SetupRow,
} from "@signalbox/protocol";
import { cleanLine, cleanText } from "./clean-text.ts";
import { type Layout, type Paint, plain, type Style } from "./layout.ts";
import { type Column, formatTable } from "./table.ts";
import { measureWidth } from "./text-width.ts";

const readinessLabels: Readonly<Record<string, string>> = {
  ready: "ready",
  not_installed: "not installed",
  needs_login: "needs setup",
  broken: "broken",
};

export function formatAgents(agents: readonly AgentRow[], layout: Layout): string {
  const order = agents.toSorted((a, b) => rankByReadiness(a) - rankByReadiness(b));
  const columns: readonly Column<AgentRow>[] = [
    { heading: "AGENT", cell: ({ id }) => id, paint: (_row, paint) => paint.cyan },
    {
      heading: "STATE",
      cell: describeReadiness,
      paint: ({ readiness }, paint) => chooseReadinessStyle(readiness, paint),
    },
    { heading: "VERSION", cell: ({ version }) => version ?? "", dropOrder: 3, minWidth: 7 },
    { heading: "NAME", cell: ({ label }) => label, dropOrder: 4, minWidth: 10 },
  ];
  const advice: Column<AgentRow> = { heading: "WHAT TO DO", cell: describeNextStep };
  const wide = formatTable(order, [...columns, advice], { ...layout, width: Number.POSITIVE_INFINITY, paint: plain });
  if (wide.split("\n").every((line) => measureWidth(line) <= layout.width))
    return formatTable(order, [...columns, advice], layout);
  // A truncated command cannot be copied: where it does not fit in the row, it goes on a line of its own.
  const [heading = "", ...rows] = formatTable(order, columns, layout).trimEnd().split("\n");
  const below = rows.flatMap((row, at) => {
    const agent = order[at];
    const text = agent === undefined ? "" : cleanLine(describeNextStep(agent));
    return text === "" ? [row] : [row, layout.paint.dim(`    ${text}`)];
  });
  return `${[heading, ...below].join("\n")}\n`;
}

function describeReadiness({ readiness }: AgentRow): string {
  return readinessLabels[readiness] ?? readiness;
}

/** Says how to install a missing agent, and otherwise why the agent does not work. */
function describeNextStep({ id, readiness, can_install, install, reason }: AgentRow): string {
  if (readiness === "not_installed" && can_install === true) return `signalbox agents install ${id}`;
  return readiness === "not_installed" ? (install ?? reason ?? "") : (reason ?? "");
}

/** Ready agents come first, then those that need one more step. */
function rankByReadiness({ readiness }: AgentRow): number {
  const place = ["ready", "needs_login", "broken", "not_installed"].indexOf(readiness);
  return place < 0 ? 2 : place;
}

function chooseReadinessStyle(readiness: AgentReadiness, paint: Paint): Style {
  if (readiness === "ready") return paint.green;
  return readiness === "not_installed" ? paint.dim : paint.yellow;
}

export function formatAgentTest(test: AgentTestRow, layout: Layout): string {
  const { paint } = layout;
  const version = test.version === null ? "" : ` ${cleanLine(test.version)}`;
  const state = chooseReadinessStyle(test.readiness, paint)(readinessLabels[test.readiness] ?? test.readiness);
  const head = `${paint.bold(cleanLine(test.agent_id))}${version}: ${state}`;
  const steps = test.steps.map((step) => `  ${formatTestStep(step, layout)}`);
  const output = cleanText(test.output).trimEnd();
  // The error of an agent that exited already contains its output.
  const addsSomething = test.reason !== null && output !== "" && !cleanText(test.reason).includes(output);
  const printed = addsSomething ? ["  It printed:", ...indentLines(output, "    ", paint.dim)] : [];
  return `${[head, ...steps, ...printed].join("\n")}\n`;
}

function formatTestStep({ step, ok, message, ms }: AgentTestStepRow, { paint }: Layout): string {
  const [first = "", ...rest] = indentLines(cleanText(message), "    ", (text) => text);
  const mark = ok ? paint.green("✓") : paint.red("✗");
  const line = `${mark} ${cleanLine(step)}: ${first.trimStart()} ${paint.dim(`(${duration(ms)})`)}`;
  return [line, ...rest].join("\n");
}

export interface MachineCheck {
  readonly check: "node" | "data_folder" | "host" | "sandbox" | "providers";
  readonly ok: boolean;
  readonly message: string;
}

function describeNetwork({ network, network_allow: allow }: SetupRow["sandbox"]): string {
  if (allow !== null) return `by name (${allow.join(", ") || "no host"})`;
  return network ? "on" : "off";
}

function describeDataFolder({ data_dir, exposed_paths: exposed }: SetupRow): MachineCheck {
  const message = `Data folder: ${data_dir}.`;
  if (exposed.length === 0) return { check: "data_folder", ok: true, message };
  const remedy = "Start Signalbox, which takes their rights away, or use `chmod go= PATH`.";
  const problem = `Other users of this machine can read ${exposed.join(" and ")}. ${remedy}`;
  return { check: "data_folder", ok: false, message: `${message} ${problem}` };
}

/** A missing API key is reported, but it is not a failure. */
export function listMachineChecks(setup: SetupRow, hostUrl: string | null): readonly MachineCheck[] {
  const { sandbox, providers, ollama } = setup;
  const warning = setup.listening?.warning ?? null;
  const keys = providers.filter(({ key_present }) => key_present).map(({ variable }) => variable);
  const missing = providers.filter(({ key_present }) => !key_present).map(({ variable }) => variable);
  const models = ollama.running
    ? `Ollama is running: ${ollama.models.join(", ") || "no models"}.`
    : "Ollama is not running.";
  return [
    { check: "node", ok: true, message: `Signalbox ${setup.version} on Node ${process.versions.node}.` },
    describeDataFolder(setup),
    {
      check: "host",
      ok: warning === null,
      message: [
        hostUrl === null ? "Signalbox is not running; `signalbox` starts it." : `Signalbox is running at ${hostUrl}.`,
        warning,
      ]
        .filter((part) => part !== null)
        .join(" "),
    },
    {
      check: "sandbox",
      ok: sandbox.enforced || sandbox.mode === "off",
      message: `Commands: ${sandbox.by}; mode ${sandbox.mode}, network ${describeNetwork(sandbox)}.${sandbox.reason === null ? "" : ` ${sandbox.reason}`}`,
    },
    {
      check: "providers",
      ok: true,
      message: `API keys: ${keys.join(", ") || `none (set one of ${missing.join(", ")})`}. ${models}`,
    },
  ];
}

export function formatMachineChecks(
  checks: readonly Pick<MachineCheck, "ok" | "message">[],
  { paint }: Layout,
): string {
  const lines = checks.map(({ ok, message }) => `${ok ? paint.green("✓") : paint.red("✗")} ${cleanLine(message)}`);
  return `${lines.join("\n")}\n`;
}

function indentLines(text: string, by: string, style: Style): readonly string[] {
  return text.split("\n").map((line) => style(`${by}${line}`));
}
