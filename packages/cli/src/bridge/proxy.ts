// Stands between an editor and an agent: every byte of stdin, stdout and stderr passes unchanged and in order, and so do signals and the exit
// code. The host gets a copy.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { basename } from "node:path";
import type { Readable, Writable } from "node:stream";
import { describeExit } from "@signalbox/host/data";
import { messageOf } from "@signalbox/protocol";
import { findOrStartHost, type HostStart } from "../host/start-host-process.ts";
import { ProxyRecorder } from "./proxy-recorder.ts";

interface ProxyOptions {
  readonly dataFolder: string | undefined;
  /** How to start a host where none runs. */
  readonly start: HostStart;
  readonly command: string;
  readonly args: readonly string[];
  /** The agent's name in the register; without it, the program's. */
  readonly name: string | undefined;
  readonly input: Readable;
  readonly output: Writable;
  readonly onProblem: (problem: string) => void;
}

/** How the agent ended, for the process that called us. */
type ProxyEnd =
  | { readonly type: "exit"; readonly code: number }
  | { readonly type: "signal"; readonly signal: NodeJS.Signals };

/** As shells have it. */
const notStarted = { notFound: 127, notAllowed: 126 } as const;
const passedSignals = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR2", "SIGCONT", "SIGWINCH"] as const;
/** Programs that run another one, which is the agent. */
const runners = /^(?:node|npx|bun|bunx|deno|uv|uvx|python[\d.]*|sh|bash|env)$/;

export async function runProxy(options: ProxyOptions): Promise<ProxyEnd> {
  const { command, args, input, output, onProblem, dataFolder, start } = options;
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const started = await Promise.race([once(child, "spawn"), once(child, "error")]).catch((error: unknown) => error);
  if (child.pid === undefined) {
    const [error] = Array.isArray(started) ? (started as unknown[]) : [started];
    onProblem(`${command} could not be started: ${messageOf(error)}`);
    const isMissing = typeof error === "object" && error !== null && "code" in error && error.code === "ENOENT";
    return { type: "exit", code: isMissing ? notStarted.notFound : notStarted.notAllowed };
  }
  // A terminal sends its signals to the agent too.
  const pass = (signal: NodeJS.Signals) => void (process.stdin.isTTY || child.kill(signal));
  for (const signal of passedSignals) process.on(signal, pass);
  const recorder = new ProxyRecorder({
    name: options.name ?? nameProgram(command, args),
    cwd: process.cwd(),
    reach: () => findOrStartHost(dataFolder, start),
    onProblem,
  });
  input.on("data", (bytes: Buffer) => recorder.fromClient(bytes));
  child.stdout.on("data", (bytes: Buffer) => recorder.fromAgent(bytes));
  input.pipe(child.stdin);
  child.stdout.pipe(output, { end: false });
  // An agent that reads no more, and an editor that reads no more: the other side notices by itself.
  child.stdin.on("error", () => {});
  output.on("error", () => child.stdout.destroy());
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  input.unpipe();
  input.destroy();
  await recorder.end(describeExit(code, signal));
  for (const each of passedSignals) process.off(each, pass);
  return signal === null ? { type: "exit", code: code ?? 1 } : { type: "signal", signal };
}

function nameProgram(command: string, args: readonly string[]): string {
  const program = basename(command);
  const agent = runners.test(program) ? args.find((word) => !word.startsWith("-")) : undefined;
  return agent === undefined ? program : basename(agent);
}
