// `signalbox run` runs one prompt. If Signalbox is running, the turn runs there and every page shows it live. Otherwise it starts one in the background
// that ends with the last `run` that uses it.
import { resolve } from "node:path";
import { providerChoices } from "@signalbox/config/providers";
import { HostError } from "@signalbox/protocol";
import { type PrintedText, TurnPrinter, TurnSummary, turnExitCodes } from "@signalbox/reports";
import { ruleProblem } from "@signalbox/rules";
import { UsageError } from "../arguments.ts";
import { type Command, command, type Program, registerFlags, type Words } from "../command.ts";
import { explainFailure } from "../explain-failure.ts";
import { findHost } from "../host/find-host.ts";
import { openHost } from "../host/open-host.ts";
import { chooseLayout, Output } from "../output.ts";
import { Progress } from "../progress.ts";
import { readStdin } from "../read-stdin.ts";
import { fileBlock } from "../turns/file-block.ts";
import { runTurn } from "../turns/run-turn.ts";
import {
  type AgentCommand,
  type NewTurnThread,
  type ResumedThread,
  remoteTurnHost,
  type TurnHost,
  type TurnRule,
} from "../turns/turn-host.ts";
import { TurnLimits } from "../turns/turn-limits.ts";

const defaultAgent = "signalbox";
const maxTitleLength = 80;
const maxTimeoutSeconds = 7 * 24 * 3600;

const flags = {
  agent: {
    type: "string",
    value: "ID",
    help: `agent to use (default ${defaultAgent}); \`signalbox agents\` lists them`,
  },
  cwd: { type: "string", value: "DIR", help: "folder to work in (default: the current one)" },
  resume: { type: "string", value: "THREAD", help: "go on in this thread: its id, the beginning of it, or `last`" },
  provider: {
    type: "string",
    value: "NAME",
    choices: providerChoices,
    help: `provider of the model, for Signalbox's own agent: ${providerChoices.join(", ")}`,
  },
  model: { type: "string", value: "NAME", help: "model to use, as the agent names it" },
  mode: { type: "string", value: "ID", help: "mode of the agent, such as plan" },
  thinking: { type: "string", value: "LEVEL", help: "how much the model thinks, such as low" },
  file: { type: "list", value: "PATH", help: "send this file too: a picture as it is, anything else as a link" },
  worktree: { type: "boolean", help: "work in a new git worktree of that folder, on a branch of its own" },
  branch: { type: "string", value: "NAME", help: "the branch of the worktree (default: named after the prompt)" },
  allow: {
    type: "list",
    value: "RULE",
    help: "allow without asking: kind:edit, command:git *, path:src/**, all",
  },
  deny: { type: "list", value: "RULE", help: "deny, whatever else allows it" },
  "wait-for-answer": {
    type: "boolean",
    help: "wait for an answer on the page when no rule decides",
  },
  timeout: {
    type: "number",
    value: "SECONDS",
    min: 1,
    max: maxTimeoutSeconds,
    help: "cancel the turn after this time",
  },
  budget: { type: "string", value: "USD", help: "cancel the turn when it has cost this much, where the agent says so" },
  output: {
    type: "string",
    value: "FORM",
    choices: ["text", "json", "events"],
    help: "text (default), json: one object at the end, events: one event per line, as stored",
  },
  json: { type: "boolean", help: "the same as --output events" },
  ...registerFlags,
} as const;

type RunFlags = Parameters<Command<typeof flags>["run"]>[0];

export const run = command({
  usage: 'signalbox run [flags] "prompt"   or   signalbox run [flags] ["prompt"] -- COMMAND ARGS…',
  about: [
    "Runs one prompt with an agent. Its text goes to stdout, one line for each tool call to stderr. What comes on stdin is sent after the prompt.",
    "After -- comes the command of an agent that is not registered. What needs permission is denied unless a rule allows it.",
    "Exit codes: 0 done, 2 the agent refused or something was denied, 3 the agent failed, 4 a limit was reached, 130 cancelled,",
    "64 wrong command line or no model to use, 1 Signalbox failed. Ctrl+C cancels the turn; pressing it again ends the process immediately.",
  ].join("\n"),
  words: { name: "PROMPT", min: 0, max: Number.MAX_SAFE_INTEGER, commandAfterDashes: true },
  flags,
  examples: [
    ['signalbox run "explain this folder"', "with Signalbox's own agent"],
    ['signalbox run --agent claude-code --allow kind:edit --allow "command:npm test" "fix the failing test"', "in CI"],
    ['signalbox run --worktree "fix the failing test"', "in a git worktree of its own"],
    ['git diff | signalbox run --provider anthropic "review this"', "prompt and stdin"],
    ['signalbox run --resume last --budget 0.50 --output json "go on"', "in the thread from before"],
    ['signalbox run "say hello" -- ./my-agent --acp', "your own agent"],
  ],
  async run(given, program, words) {
    const output = new Output();
    const form = given.output ?? (given.json ? "events" : "text");
    if (given.json && form !== "events") throw new UsageError("--json and --output cannot be combined.");
    const limits = new TurnLimits(given.timeout, readBudget(given));
    const rules = readRules(given);
    const agent = adHocAgent(words, given);
    const thread = chooseThread(given, agent);
    await refuseUnanswerable(given);
    const prompt = await readPrompt(words);
    const files = await Promise.all(given.file.map(fileBlock)).catch((error: unknown) => {
      throw error instanceof HostError ? new UsageError(error.message) : error;
    });
    using cancel = new SignalCancellation();
    output.onceClosed(() => cancel.now());
    const printer = new TurnPrinter({
      // One object is for a program: its text stays as the agent wrote it.
      stdout: form === "json" ? { ...output.layout, isTerminal: false } : output.layout,
      stderr: chooseLayout(process.stderr),
      waitsForAnswers: given["wait-for-answer"],
    });
    const summary = new TurnSummary();
    using progress = new Progress("Starting the agent …");
    const { host, runsAt } = await openTurnHost(given["data-dir"], program, (step) => progress.show(step));
    try {
      limits.begin(() => cancel.now());
      const turn = runTurn(host, {
        thread: "resume" in thread ? thread : { ...thread, title: shortenTitle(prompt) },
        prompt: [{ type: "text", text: prompt }, ...files],
        rules,
        waitsForAnswers: given["wait-for-answer"],
        signal: cancel.signal,
      });
      for await (const event of turn) {
        progress[Symbol.dispose]();
        const printed = printer.print(event);
        summary.add(event, printed);
        if (form === "events") output.write(`${JSON.stringify(event)}\n`);
        else printAll(form === "text" ? output : null, printed);
        if (event.kind === "usage_update") limits.spent((await turnRow(host, summary))?.cost ?? null);
      }
      const row = await turnRow(host, summary);
      limits.spent(row?.cost ?? null);
      if (form === "json") output.write(`${JSON.stringify(summary.summarize(row))}\n`);
    } catch (error) {
      if (!cancel.signal.aborted) return explainFailure(error, runsAt);
    } finally {
      limits.end();
      progress[Symbol.dispose]();
      await host.close();
    }
    if (limits.reached !== null) {
      console.error(limits.reached);
      return turnExitCodes.limit;
    }
    if (limits.unwatched !== null) console.error(limits.unwatched);
    if (cancel.signal.aborted) return turnExitCodes.cancelled;
    return turnExitCodes[printer.outcome ?? "failed"];
  },
});

function printAll(stdout: Output | null, printed: readonly PrintedText[]): void {
  for (const { to, text } of printed) {
    if (to === "stderr") process.stderr.write(text);
    else stdout?.write(text);
  }
}

/** Undefined before the turn is stored. */
async function turnRow(host: TurnHost, { place }: TurnSummary) {
  if (place === null) return undefined;
  const { rows } = await host.query("turns.list", { thread_id: place.threadId, limit: 10 });
  return rows.find(({ turn_id }) => turn_id === place.turnId);
}

function chooseThread(given: RunFlags, agent: AgentCommand | null): NewTurnThread | ResumedThread {
  const settings = { mode_id: given.mode, model: readModel(given), thinking: given.thinking };
  if (given.resume === undefined) {
    const cwd = resolve(given.cwd ?? ".");
    return { agent: agent ?? given.agent ?? defaultAgent, cwd, ...settings, ...readWorktree(given) };
  }
  for (const [flag, value] of [
    ["--agent", given.agent],
    ["--cwd", given.cwd],
    ["--worktree", given.worktree ? "" : undefined],
    ["--branch", given.branch],
    ["A command after --", agent?.command],
  ]) {
    if (value !== undefined) throw new UsageError(`${flag} and --resume cannot be combined: the thread has its own.`);
  }
  return { resume: given.resume, ...settings };
}

function readModel({ provider, model }: RunFlags): string | undefined {
  return provider === undefined ? model : `${provider}:${model ?? ""}`;
}

function readBudget({ budget }: RunFlags): number | undefined {
  if (budget === undefined) return undefined;
  const usd = Number(budget.replace(/^\$/, ""));
  if (!Number.isFinite(usd) || usd <= 0)
    throw new UsageError(`--budget is an amount in US dollars, such as 0.50; "${budget}" is not.`);
  return usd;
}

/** Without a person at a page nobody could answer. */
async function refuseUnanswerable(given: RunFlags): Promise<void> {
  if (given["wait-for-answer"] && (await findHost(given["data-dir"])) === null)
    throw new UsageError("--wait-for-answer needs a running Signalbox with this data folder. Start `signalbox` first.");
}

async function openTurnHost(
  dataFolder: string | undefined,
  program: Program,
  onStep: (step: string) => void,
): Promise<{ readonly host: TurnHost; readonly runsAt: string | null }> {
  const { connection, isStarted, close } = await openHost(dataFolder, program);
  connection.onMessage((message) => {
    if (message.type === "host.progress" && message.task === "agents.start" && !message.finished)
      onStep(message.message);
  });
  const host = remoteTurnHost(connection);
  const closeAll = async () => {
    await host.close();
    await close();
  };
  return { host: { ...host, close: closeAll }, runsAt: isStarted ? null : connection.origin };
}

function readWorktree({ worktree, branch }: RunFlags): Pick<NewTurnThread, "worktree"> {
  if (branch !== undefined && !worktree) throw new UsageError("--branch is the branch of a worktree: add --worktree.");
  return worktree ? { worktree: { branch } } : {};
}

function readRules({ allow, deny }: RunFlags): readonly TurnRule[] {
  const rules = [
    ...deny.map((match) => ({ decision: "deny" as const, match })),
    ...allow.map((match) => ({ decision: "allow" as const, match })),
  ];
  for (const { decision, match } of rules) {
    const problem = ruleProblem(match);
    if (problem !== undefined) throw new UsageError(`--${decision}: ${problem}`);
  }
  return rules;
}

/** The agent whose command was given after `--`. */
function adHocAgent({ after }: Words, { agent }: RunFlags): AgentCommand | null {
  if (after === null) return null;
  const [first, ...args] = after;
  if (first === undefined) throw new UsageError("The command of an agent is missing after --.");
  if (agent !== undefined) throw new UsageError("--agent and a command after -- cannot be combined.");
  // A relative path is relative to the current folder, not to --cwd.
  const path = first.includes("/") ? resolve(first) : first;
  return { command: path, args, env: ownEnvironment() };
}

/** A command on this command line gets the environment of this command, also in a host that was started with another one. */
function ownEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** The words, then what comes on stdin. */
async function readPrompt({ given }: Words): Promise<string> {
  if (given.length === 0 && process.stdin.isTTY) {
    throw new UsageError('The prompt is missing: signalbox run "prompt", or pass it on stdin.');
  }
  const words = given.join(" ");
  const piped = process.stdin.isTTY ? "" : await readStdin(words !== "");
  const prompt = [words, piped].filter((part) => part.trim() !== "").join("\n\n");
  if (prompt === "") throw new UsageError("The prompt is empty.");
  return prompt;
}

function shortenTitle(prompt: string): string {
  const line = prompt.trim().split("\n", 1)[0] ?? "";
  return line.length <= maxTitleLength ? line : `${line.slice(0, maxTitleLength - 1)}…`;
}

/** Ctrl+C and other signals: the first cancels the turn, the second ends the process. */
class SignalCancellation implements Disposable {
  readonly #controller = new AbortController();
  readonly #signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  readonly #onSignal = () => {
    if (this.signal.aborted) process.exit(turnExitCodes.cancelled);
    if (process.stderr.isTTY) process.stderr.write("\nCancelling the turn. Press Ctrl+C again to end immediately.\n");
    this.now();
  };

  constructor() {
    for (const signal of this.#signals) process.on(signal, this.#onSignal);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  now(): void {
    this.#controller.abort();
  }

  [Symbol.dispose](): void {
    for (const signal of this.#signals) process.off(signal, this.#onSignal);
  }
}
