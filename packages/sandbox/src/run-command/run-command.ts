// Runs one command under a policy: starts it sandboxed, streams what it prints, ends its whole tree at the first cause
// (its own end, time, cancel, a limit), and says in the result which it was.
import type { PutAside } from "../made-settings/made-settings.ts";
import { OutputEnds } from "./captured-output.ts";
import type { CommandResult, Ending } from "./command-result.ts";
import { DenialFinder, mayHideFailure, type RefusedHost } from "./denials.ts";
import type { Limits } from "./limits.ts";
import { type LaunchOptions, prepareLaunch, refuse } from "./prepare-launch.ts";
import { type StartedCommand, startCommand } from "./start-command.ts";
import { describeEnding } from "./start-process.ts";

export interface CommandOptions extends LaunchOptions {
  /** Milliseconds. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
  /** Standard output and error, decoded, in the order in which the command wrote them. */
  readonly onOutput?: (text: string) => void;
  /** Asked when it has ended: what the proxy of a network by name refused meanwhile. */
  readonly refusedHosts?: () => readonly RefusedHost[];
}

/** A timer for longer would go off immediately. */
const maxTimerMs = 2 ** 31 - 1;

/** Never throws for what a command or a policy does. Throws what `onOutput` throws, after the command was ended. */
export async function runCommand(options: CommandOptions): Promise<CommandResult> {
  const { signal, timeout } = options;
  const prepared = prepareLaunch(options, "joined");
  if ("ended" in prepared) return prepared;
  const started = performance.now();
  const output = new Output(options);
  const { settings, made } = prepared;
  if (signal?.aborted === true) {
    made.close();
    await settings.close();
    return output.result({ ended: "cancelled" }, started);
  }

  const running = startCommand(prepared.launch, () => {
    if (settings.hasDoubts()) stop({ ended: "signal", signal: "SIGKILL" });
  });
  let cause: Ending | undefined;
  const stop = (ending: Ending) => {
    cause ??= ending; // several causes can race; the first is the truth
    running.stop();
  };
  const onAbort = () => stop({ ended: "cancelled" });
  signal?.addEventListener("abort", onAbort, { once: true });
  const timer =
    timeout === undefined
      ? undefined
      : setTimeout(() => stop({ ended: "timeout", timeout }), Math.min(timeout, maxTimerMs));
  try {
    await output.collectOutput(running, prepared.limits, stop);
    const end = await running.end;
    if (end.kind === "forbidden") output.denials.addForbidden(end.path);
    if (end.kind === "unguarded") output.denials.addUnguarded(end.path);
    for (const message of await settings.close()) output.denials.addOfGit(message);
    output.addPutAside(made.close());
    for (const refused of options.refusedHosts?.() ?? []) output.denials.addRefusedHost(refused);
    if (end.kind !== "not-started") return output.result(describeEnding(end, cause), started);
    return refuse("cannot_start", `the command could not be started: ${end.problem}`);
  } catch (error) {
    running.stop(); // the caller's own onOutput threw: nothing may go on unwatched
    throw error;
  } finally {
    made.close();
    await settings.close();
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

/** Passes a command's output to the caller and to the search for denials. */
class Output {
  readonly #kept = new OutputEnds();
  readonly #mayHideFailure: boolean;
  readonly denials: DenialFinder;
  #putAside: readonly PutAside[] = [];
  readonly #publish: (text: string) => void;

  constructor({ policy, cwd, command, onOutput = () => {} }: CommandOptions) {
    this.#mayHideFailure = typeof command === "string" && mayHideFailure(command);
    this.denials = new DenialFinder(policy, cwd);
    this.#publish = (text) => {
      if (text === "") return;
      this.denials.read(text);
      onOutput(text);
    };
  }

  async collectOutput(running: StartedCommand, limits: Limits, stop: (ending: Ending) => void): Promise<void> {
    const decoder = new TextDecoder("utf-8");
    for await (const chunk of running.output) {
      const room = limits.output - this.#kept.bytes;
      const kept = chunk.subarray(0, Math.max(0, room));
      this.#kept.append(kept);
      this.#publish(decoder.decode(kept, { stream: true }));
      if (chunk.length > room) stop({ ended: "limit", limit: "output", most: limits.output });
    }
    this.#publish(decoder.decode());
  }

  addPutAside(aside: readonly PutAside[]): void {
    this.#putAside = aside;
    for (const each of aside) this.denials.addPutAside(each);
  }

  result(ending: Ending, started: number): CommandResult {
    return {
      ...ending,
      output: this.#kept,
      denials: this.denials.finish({
        hasSucceeded: ending.ended === "exit" && ending.exitCode === 0 && !this.#mayHideFailure,
      }),
      putAside: this.#putAside,
      milliseconds: performance.now() - started,
    };
  }
}
