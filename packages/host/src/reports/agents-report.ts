// Which agents there are and whether they work; and what a test of one or a look at the machine found, with what to do about it.
import type { AgentReadiness, AgentRow, AgentTestRow, AgentTestStepRow, SetupRow } from "@signalbox/protocol";
import { cleanLine, cleanText } from "./clean-text.ts";
import { type Look, type Paint, plain, type Style } from "./look.ts";
import { duration } from "./measures.ts";
import { type Column, table } from "./table.ts";
import { widthOf } from "./text-width.ts";

const readinessWords: Readonly<Record<string, string>> = {
  ready: "ready",
  not_installed: "not installed",
  needs_login: "log in first",
  broken: "broken",
};

export function agentsReport(agents: readonly AgentRow[], look: Look): string {
  const order = agents.toSorted((a, b) => rank(a) - rank(b));
  const columns: readonly Column<AgentRow>[] = [
    { heading: "AGENT", cell: ({ id }) => id, paint: (_row, paint) => paint.cyan },
    { heading: "STATE", cell: stateOf, paint: ({ readiness }, paint) => readinessStyle(readiness, paint) },
    { heading: "VERSION", cell: ({ version }) => version ?? "", goes: 3, shrinksTo: 7 },
    { heading: "NAME", cell: ({ label }) => label, goes: 4, shrinksTo: 10 },
  ];
  const advice: Column<AgentRow> = { heading: "WHAT TO DO", cell: adviceFor };
  const wide = table(order, [...columns, advice], { ...look, width: Number.POSITIVE_INFINITY, paint: plain });
  if (wide.split("\n").every((line) => widthOf(line) <= look.width)) return table(order, [...columns, advice], look);
  // A command that is cut cannot be copied: where it does not fit beside, it stands below.
  const [heading = "", ...rows] = table(order, columns, look).trimEnd().split("\n");
  const below = rows.flatMap((row, at) => {
    const agent = order[at];
    const text = agent === undefined ? "" : cleanLine(adviceFor(agent));
    return text === "" ? [row] : [row, look.paint.dim(`    ${text}`)];
  });
  return `${[heading, ...below].join("\n")}\n`;
}

function stateOf({ readiness }: AgentRow): string {
  return readinessWords[readiness] ?? readiness;
}

/** For what is not there the command that brings it; for what does not work the reason. */
function adviceFor({ readiness, install, reason }: AgentRow): string {
  return readiness === "not_installed" ? (install ?? reason ?? "") : (reason ?? "");
}

/** Those that work first, then those that nearly do. */
function rank({ readiness }: AgentRow): number {
  const place = ["ready", "needs_login", "broken", "not_installed"].indexOf(readiness);
  return place < 0 ? 2 : place;
}

function readinessStyle(readiness: AgentReadiness, paint: Paint): Style {
  if (readiness === "ready") return paint.green;
  return readiness === "not_installed" ? paint.dim : paint.yellow;
}

export function agentTestReport(test: AgentTestRow, look: Look): string {
  const { paint } = look;
  const version = test.version === null ? "" : ` ${cleanLine(test.version)}`;
  const state = readinessStyle(test.readiness, paint)(readinessWords[test.readiness] ?? test.readiness);
  const head = `${paint.bold(cleanLine(test.agent_id))}${version}: ${state}`;
  const steps = test.steps.map((step) => `  ${testStepLine(step, look)}`);
  const output = cleanText(test.output).trimEnd();
  // The reason of an agent that died has it already.
  const isNews = test.reason !== null && output !== "" && !cleanText(test.reason).includes(output);
  const printed = isNews ? ["  It printed:", ...indented(output, "    ", paint.dim)] : [];
  return `${[head, ...steps, ...printed].join("\n")}\n`;
}

function testStepLine({ step, ok, message, ms }: AgentTestStepRow, { paint }: Look): string {
  const [first = "", ...rest] = indented(cleanText(message), "    ", (text) => text);
  const mark = ok ? paint.green("✓") : paint.red("✗");
  const line = `${mark} ${cleanLine(step)}: ${first.trimStart()} ${paint.dim(`(${duration(ms)})`)}`;
  return [line, ...rest].join("\n");
}

export interface MachineCheck {
  readonly check: "node" | "data_folder" | "host" | "sandbox" | "providers";
  readonly ok: boolean;
  readonly message: string;
}

/** What of the machine matters to agents. A missing key is not wrong: it is something one may want to know. */
export function machineChecks(setup: SetupRow, hostUrl: string | null): readonly MachineCheck[] {
  const { sandbox, providers, ollama } = setup;
  const warning = setup.listening?.warning ?? null;
  const keys = providers.filter(({ key_present }) => key_present).map(({ variable }) => variable);
  const missing = providers.filter(({ key_present }) => !key_present).map(({ variable }) => variable);
  const models = ollama.running
    ? `Ollama runs with ${ollama.models.join(", ") || "no model"}.`
    : "Ollama does not run.";
  return [
    { check: "node", ok: true, message: `Signalbox ${setup.version} on Node ${process.versions.node}.` },
    { check: "data_folder", ok: true, message: `Everything is kept in ${setup.data_dir}.` },
    {
      check: "host",
      ok: warning === null,
      message: [hostUrl === null ? "No host runs here; `signalbox` starts one." : `A host runs at ${hostUrl}.`, warning]
        .filter((words) => words !== null)
        .join(" "),
    },
    {
      check: "sandbox",
      ok: sandbox.enforced || sandbox.mode === "off",
      message: `Commands: ${sandbox.by}; mode ${sandbox.mode}, network ${sandbox.network ? "on" : "off"}.${sandbox.reason === null ? "" : ` ${sandbox.reason}`}`,
    },
    {
      check: "providers",
      ok: true,
      message: `Keys: ${keys.join(", ") || `none (${missing.join(", ")} would be used)`}. ${models}`,
    },
  ];
}

export function machineReport(checks: readonly MachineCheck[], { paint }: Look): string {
  const lines = checks.map(({ ok, message }) => `${ok ? paint.green("✓") : paint.red("✗")} ${cleanLine(message)}`);
  return `${lines.join("\n")}\n`;
}

function indented(text: string, by: string, style: Style): readonly string[] {
  return text.split("\n").map((line) => style(`${by}${line}`));
}
