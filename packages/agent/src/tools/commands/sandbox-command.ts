// Commands in our sandbox: with the policy of the moment, and with the network only where it was given.
import { describeEnding, runCommand } from "@signalbox/sandbox";
import type { CommandEnd, CommandOutcome, RunCommand } from "./command.ts";
import { launchOptions, type SandboxOptions } from "./sandbox-options.ts";

export function sandboxCommands(sandbox: SandboxOptions): RunCommand {
  return async ({ command, cwd, network, signal, onOutput }) => {
    const result = await runCommand({
      ...(await launchOptions(sandbox, network)),
      command,
      cwd,
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
