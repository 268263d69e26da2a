// `signalbox run` runs one prompt. If Signalbox is running, the turn runs there and every page shows it live; otherwise it runs in this process,
// on the same register.
import { basename, resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { type AgentDefinition, HostError, localTurnHost, openHostServices, ruleProblem } from "@signalbox/host";
import { connectToHost, remoteTurnHost, runTurn, type TurnHost, type TurnRule } from "@signalbox/host/client";
import { TurnPrinter, turnExitCodes } from "@signalbox/host/reports";
import { UsageError } from "../arguments.ts";
import { type Command, command, exitCodes, registerFlags, type Words } from "../command.ts";
import { layoutOf, Output } from "../output.ts";
import { ownProgram } from "../own-program.ts";
import { Progress } from "../progress.ts";

const defaultAgent = "signalbox";
const maxTitleLength = 80;

const flags = {
  agent: {
    type: "string",
    value: "ID",
    help: `agent to use (default ${defaultAgent}); \`signalbox agents\` lists them`,
  },
  cwd: { type: "string", value: "DIR", help: "folder to work in (default: the current one)" },
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
  json: { type: "boolean", help: "print JSON: one event per line, as stored" },
  ...registerFlags,
} as const;

type RunFlags = Parameters<Command<typeof flags>["run"]>[0];

export const run = command({
  usage: 'signalbox run [flags] "prompt"   or   signalbox run [flags] ["prompt"] -- COMMAND ARGS…',
  about: [
    "Runs one prompt with an agent. Its text goes to stdout, one line for each tool call to stderr. Without a prompt, it is read from stdin.",
    "After -- comes the command of an agent that is not registered. What no rule allows is denied.",
    "Exit codes: 0 done, 2 the agent refused or something was denied, 3 the agent failed, 4 a limit was reached, 130 cancelled,",
    "64 wrong command line, 1 Signalbox failed. Ctrl+C cancels the turn; pressing it again ends the process immediately.",
  ].join("\n"),
  words: { name: "PROMPT", min: 0, max: Number.MAX_SAFE_INTEGER, commandAfterDashes: true },
  flags,
  examples: [
    ['signalbox run "explain this folder"', "with Signalbox's own agent"],
    ['signalbox run --agent claude-code --allow kind:edit --allow "command:npm test" "fix the failing test"', "in CI"],
    ["git diff | signalbox run --agent gemini", "prompt from stdin"],
    ['signalbox run "say hello" -- ./my-agent --acp', "your own agent"],
  ],
  async run(given, program, words) {
    const output = new Output();
    const rules = rulesOf(given);
    const agent = adHocAgent(words, given);
    const prompt = await promptOf(words);
    using cancel = new SignalCancellation();
    output.onceClosed(() => cancel.now());
    const printer = new TurnPrinter({
      stdout: output.layout,
      stderr: layoutOf(process.stderr),
      waitsForAnswers: given["wait-for-answer"],
    });
    using progress = new Progress("Starting the agent …");
    const host = await openTurnHost(given, agent, (step) => progress.show(step), program);
    try {
      const turn = runTurn(host, {
        thread: {
          agent_id: agent?.id ?? given.agent ?? defaultAgent,
          cwd: resolve(given.cwd ?? "."),
          title: titleOf(prompt),
        },
        prompt: [{ type: "text", text: prompt }],
        rules,
        waitsForAnswers: given["wait-for-answer"],
        signal: cancel.signal,
      });
      for await (const event of turn) {
        progress[Symbol.dispose]();
        const printed = printer.print(event);
        if (given.json) output.write(`${JSON.stringify(event)}\n`);
        else for (const { to, text } of printed) (to === "stdout" ? output : process.stderr).write(text);
      }
    } catch (error) {
      if (cancel.signal.aborted) return turnExitCodes.cancelled;
      return explainFailure(error);
    } finally {
      progress[Symbol.dispose]();
      await host.close();
    }
    if (cancel.signal.aborted) return turnExitCodes.cancelled;
    return turnExitCodes[printer.outcome ?? "failed"];
  },
});

async function openTurnHost(
  given: RunFlags,
  agent: AgentDefinition | null,
  onStep: (step: string) => void,
  program: Parameters<typeof ownProgram>[0],
): Promise<TurnHost> {
  const host = await connectToHost(given["data-dir"]);
  if (host !== null && agent === null) return remoteTurnHost(host);
  await host?.close();
  if (host !== null) {
    throw new HostError(
      "conflict",
      `Signalbox is running at ${host.origin}, and it starts only registered agents, not a command after --. ` +
        "Add the agent to config.json, stop that Signalbox, or choose another --data-dir.",
    );
  }
  if (given["wait-for-answer"]) {
    throw new UsageError("--wait-for-answer needs a running Signalbox with this data folder. Start `signalbox` first.");
  }
  const services = await openHostServices({
    dataFolder: given["data-dir"],
    own: ownProgram(program),
    shared: program.shared,
    agents: agent === null ? [] : [agent],
    onProblem: (problem) => console.error(problem),
  });
  services.fanOut.onProgress(({ message, finished }) => {
    if (!finished) onStep(message);
  });
  return localTurnHost(services);
}

function rulesOf({ allow, deny }: RunFlags): readonly TurnRule[] {
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
function adHocAgent({ after }: Words, { agent }: RunFlags): AgentDefinition | null {
  if (after === null) return null;
  const [first, ...args] = after;
  if (first === undefined) throw new UsageError("The command of an agent is missing after --.");
  if (agent !== undefined) throw new UsageError("--agent and a command after -- cannot be combined.");
  // A relative path is relative to the current folder, not to --cwd.
  const path = first.includes("/") ? resolve(first) : first;
  return { id: `command:${basename(first)}`, label: first, command: path, args };
}

async function promptOf({ given }: Words): Promise<string> {
  if (given.length === 0 && process.stdin.isTTY) {
    throw new UsageError('The prompt is missing: signalbox run "prompt", or pass it on stdin.');
  }
  const prompt = given.length > 0 ? given.join(" ") : await readAll(process.stdin);
  if (prompt.trim() === "") throw new UsageError("The prompt is empty.");
  return prompt;
}

function titleOf(prompt: string): string {
  const line = prompt.trim().split("\n", 1)[0] ?? "";
  return line.length <= maxTitleLength ? line : `${line.slice(0, maxTitleLength - 1)}…`;
}

function explainFailure(error: unknown): number {
  if (!(error instanceof HostError)) throw error;
  console.error(error.message);
  switch (error.code) {
    case "agent_failed":
    case "unauthorized":
      return turnExitCodes.failed;
    case "not_found":
    case "bad_request":
      return exitCodes.badUsage;
    default:
      return exitCodes.failed;
  }
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
