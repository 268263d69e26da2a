// A whole turn of our agent beside the same turn of pi, the fastest other agent that we know: on the same scripted model, turn and turn about.
// pi runs commands without a sandbox and asks for nothing; ours runs each in the sandbox, by a rule that allows it.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { insideAgents } from "../../../test/agents/inside-agents.ts";
import { installedPrograms } from "../../../test/agents/install-agents.ts";
import { type Benchmark, median, usualHome } from "../../../test/bench/bench.ts";
import { LineClient, ModelProcess, providersAt } from "./line-client.ts";

/** Processes of each agent. In each a first turn and, in a new conversation, a second one. */
const rounds = 4;

interface Contestant extends AsyncDisposable {
  turn(): Promise<void>;
  forget(): Promise<void>;
}

const benchmark: Benchmark = async (report) => {
  const pi = insideAgents.find(({ id }) => id === "pi");
  const programs = pi === undefined ? undefined : installedPrograms(pi);
  if (pi === undefined || programs === undefined) {
    console.error(
      "pi is not installed, so no turn is compared with its own. `npm run test:agents -- inside` installs it.",
    );
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "peers-bench-"));
  const project = join(folder, "project");
  const home = join(folder, "home");
  mkdirSync(project);
  mkdirSync(home);
  writeFileSync(join(project, "a.txt"), "alpha\n");
  const config = { permissions: [{ decision: "allow" }], limits: { max_turns: 60 } };
  writeFileSync(join(home, "config.json"), JSON.stringify(config));
  await using model = await ModelProcess.start("calls");
  pi.settings(home, model.url);
  const contestants: Readonly<Record<"ours" | "pi", () => Promise<Contestant>>> = {
    ours: () => openOurs(model.url, home, project),
    pi: () => Pi.open(join(programs, "pi"), home, project),
  };
  const times: Record<"ours" | "pi", number[]> = { ours: [], pi: [] };
  try {
    for (let round = 0; round < rounds; round++) {
      for (const name of ["pi", "ours"] as const) {
        await using contestant = await contestants[name]();
        // No one types a prompt in less.
        await pause(1000);
        for (let turn = 0; turn < 2; turn++) {
          const begun = performance.now();
          await contestant.turn();
          times[name].push(performance.now() - begun);
          await contestant.forget();
        }
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  report({
    title: "agent: a whole turn of 50 calls (read, `true` in turn), in the sandbox, against pi's without one",
    value: median(times.ours) / median(times.pi),
    unit: "x",
    target: 0.8,
    note: `${median(times.ours).toFixed(0)} ms, pi ${pi.beside?.split("@").at(-1)} ${median(times.pi).toFixed(0)} ms, both with the model's own time`,
  });
};
export default benchmark;

async function openOurs(url: string, home: string, project: string): Promise<Contestant> {
  const client = new LineClient(providersAt(url).openai ?? [], { SIGNALBOX_HOME: home, HOME: usualHome() });
  const sessionId = await client.open(project);
  return {
    turn: () => client.prompt(sessionId, "Go"),
    forget: () => client.prompt(sessionId, "/clear"),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** pi over its own protocol, without the adapter that would make it slower. */
class Pi implements Contestant {
  readonly #process: ChildProcessWithoutNullStreams;
  #expected: { readonly words: RegExp; readonly resolve: (line: string) => void } | undefined;

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#process = child;
    child.stderr.pipe(process.stderr);
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (this.#expected?.words.test(line) === true) this.#expected.resolve(line);
    });
  }

  static async open(program: string, home: string, cwd: string): Promise<Pi> {
    const env = { ...process.env, HOME: home, PI_OFFLINE: "1" };
    const pi = new Pi(spawn(process.execPath, [program, "--mode", "rpc"], { cwd, env }));
    await pi.#ask({ type: "get_state" }, /"type":"response"/);
    return pi;
  }

  async turn(): Promise<void> {
    const end = await this.#ask({ type: "prompt", message: "Go" }, /"type":"agent_end"|"success":false/);
    if (!end.includes("Done.")) throw new Error(`pi's turn did not end as scripted: ${end.slice(-500)}`);
  }

  async forget(): Promise<void> {
    await this.#ask({ type: "new_session" }, /"command":"new_session"/);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exit = once(this.#process, "exit");
    this.#process.kill();
    await exit;
  }

  /** Resolves with the first line that has the expected words. */
  async #ask(message: object, words: RegExp): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#expected = { words, resolve };
    this.#process.stdin.write(`${JSON.stringify(message)}\n`);
    return await promise;
  }
}
