// Says why a turn could not be run, and gives the exit code.
import { HostError, isLoginError } from "@signalbox/host";
import { turnExitCodes } from "@signalbox/reports";
import { exitCodes } from "./command.ts";

/** `runsAt` is the address of the host that ran it; null where this process is the host. Throws what is no failure of a turn. */
export function explainFailure(error: unknown, runsAt: string | null, print = console.error): number {
  if (!(error instanceof HostError)) throw error;
  print(error.message);
  if (isLoginError(error)) {
    if (runsAt !== null)
      print(
        `The agent is started by the Signalbox that runs at ${runsAt}: it has the environment of that one, not of this command.`,
      );
    return exitCodes.badUsage;
  }
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
