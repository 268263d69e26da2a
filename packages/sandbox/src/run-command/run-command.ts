// Runs one command under a policy: starts it enclosed, streams what it prints, ends its whole tree at the first cause
// (its own end, time, cancel, a limit), and says in the result which it was.
import { existsSync, statSync } from "node:fs";
import type { Enforcement } from "../enforcement/enforcement.ts";
import { commandEnvironment } from "../environment/command-environment.ts";
import { launchFor } from "../launch/launch.ts";
import { canRead } from "../policy/can-access.ts";
import type { Policy } from "../policy/policy.ts";
import { OutputStore } from "./captured-output.ts";
import type { CommandResult, Ending, Refused } from "./command-result.ts";
import { DenialFinder } from "./denials.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { type End, startProcess } from "./start-process.ts";

export interface CommandOptions {
  readonly enforcement: Enforcement;
  readonly policy: Policy;
  /** A line for the shell, or a program and its arguments. */
  readonly command: string | readonly [string, ...string[]];
  readonly cwd: string;
  /** Added to this process's own environment, from which keys and tokens are taken out. */
  readonly env?: Readonly<Record<string, string>>;
  /** Names of further variables that hold keys. */
  readonly secretNames?: readonly string[];
  /** Milliseconds. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
  /** Standard output and error, decoded, in the order in which the command wrote them. */
  readonly onOutput?: (text: string) => void;
  readonly limits?: Partial<Limits>;
}

/** Never throws for what a command or a policy does. The result holds a file open while its output is long: dispose of it. */
export async function runCommand(options: CommandOptions): Promise<CommandResult> {
  const { enforcement, policy, cwd, signal, timeout } = options;
  if (enforcement.kind === "unavailable") {
    return refuse("sandbox_unavailable", `commands are refused because ${enforcement.reason} ${enforcement.remedy}`);
  }
  const problem = folderProblem(policy, cwd);
  if (problem !== undefined) return refuse("folder_not_usable", problem);
  const limits = { ...defaultLimits(), ...options.limits };
  const env = commandEnvironment({
    inherited: process.env,
    ...(options.env && { added: options.env }),
    ...(options.secretNames && { secretNames: options.secretNames }),
  });
  const launch = launchFor(enforcement, { policy, command: words(options.command), cwd, env, limits });

  const started = performance.now();
  const store = new OutputStore();
  const denials = new DenialFinder(policy, cwd);
  const decoder = new TextDecoder("utf-8");
  const cause = new FirstCause();
  if (signal?.aborted === true) cause.set({ ended: "cancelled" });
  const running = cause.ending === undefined ? startProcess(launch) : undefined;
  const stop = (ending: Ending) => {
    cause.set(ending);
    running?.stop();
  };
  const onAbort = () => stop({ ended: "cancelled" });
  signal?.addEventListener("abort", onAbort, { once: true });
  const timer = timeout === undefined ? undefined : setTimeout(() => stop({ ended: "timeout", timeout }), timeout);
  const tell = (text: string) => {
    if (text === "") return;
    denials.read(text);
    options.onOutput?.(text);
  };
  try {
    if (running === undefined) return ran({ ended: "cancelled" });
    for await (const chunk of running.output) {
      const room = limits.output - store.bytes;
      const kept = chunk.subarray(0, Math.max(0, room));
      await store.append(kept);
      tell(decoder.decode(kept, { stream: true }));
      if (chunk.length > room) stop({ ended: "limit", limit: "output", most: limits.output });
    }
    tell(decoder.decode());
    const end = await running.end;
    if (end.kind === "not-started") {
      await store[Symbol.asyncDispose]();
      return refuse("cannot_start", `the command could not be started: ${end.problem}`);
    }
    return ran(endingFrom(end, cause.ending));
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }

  function ran(ending: Ending): CommandResult {
    return {
      ...ending,
      output: store,
      denials: denials.finish(),
      milliseconds: performance.now() - started,
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    };
  }
}

/** Several causes can race; the first is the truth. */
class FirstCause {
  ending: Ending | undefined;
  set(ending: Ending): void {
    this.ending ??= ending;
  }
}

/** What was stopped by us ended for our reason; what ended by itself just before did not. */
function endingFrom(end: Exclude<End, { kind: "not-started" }>, ours: Ending | undefined): Ending {
  switch (end.kind) {
    case "exit":
      return { ended: "exit", exitCode: end.code };
    case "signal":
      return ours !== undefined && end.perhapsOurs ? ours : { ended: "signal", signal: end.signal };
    case "limit":
      return { ended: "limit", limit: end.limit, most: end.most };
    case "stopped":
      return ours ?? { ended: "signal", signal: "SIGKILL" };
  }
}

function refuse(code: Refused["code"], message: string): CommandResult {
  return { ended: "refused", code, message, [Symbol.asyncDispose]: async () => {} };
}

function folderProblem(policy: Policy, cwd: string): string | undefined {
  const decision = canRead(policy, cwd);
  if (!decision.allowed) return decision.message;
  const status = statSync(cwd, { throwIfNoEntry: false });
  if (status?.isDirectory() === true) return undefined;
  return `the folder ${cwd} ${status === undefined ? "does not exist" : "is not a folder"}; choose another one to run the command in`;
}

function words(command: CommandOptions["command"]): readonly [string, ...string[]] {
  if (typeof command !== "string") return command;
  return [existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh", "-c", command];
}
