// Commands in our sandbox: with the policy of the moment, and with the network only where it was given.
import { describeEnding, type Enforcement, type Policy, runCommand } from "@signalbox/sandbox";
import type { CommandEnd, CommandOutcome, RunCommand } from "./command.ts";

export interface SandboxCommandsOptions {
  readonly enforcement: () => Promise<Enforcement>;
  readonly policy: (network: boolean) => Policy;
  readonly env: () => Readonly<Record<string, string>>;
}

export function sandboxCommands({ enforcement, policy, env }: SandboxCommandsOptions): RunCommand {
  return async ({ command, cwd, network, signal, onOutput }) => {
    await using result = await runCommand({
      enforcement: await enforcement(),
      policy: policy(network),
      command,
      cwd,
      env: env(),
      signal,
      onOutput,
    });
    if (result.ended === "refused") {
      return { output: "", outcome: { type: "refused", words: result.message }, denied: [], networkDenied: false };
    }
    return {
      output: result.output.text,
      outcome: outcomeOf(result),
      denied: result.denials.filter(({ what }) => what !== "network").map(({ message }) => message),
      networkDenied: result.denials.some(({ what }) => what === "network"),
    } satisfies CommandEnd;
  };
}

type Ended = Exclude<Awaited<ReturnType<typeof runCommand>>, { ended: "refused" }>;

function outcomeOf(result: Ended): CommandOutcome {
  switch (result.ended) {
    case "exit":
      return { type: "exit", code: result.exitCode };
    case "signal":
      return { type: "signal", signal: result.signal };
    case "timeout":
    case "cancelled":
      return { type: "aborted" };
    case "limit":
      return { type: "limit", words: describeEnding(result) };
  }
}
