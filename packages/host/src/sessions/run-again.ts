// Runs a command of a terminal again, with more rights than its sandbox gave, because a person said so; the agent gets the output as a prompt.
import { randomUUID } from "node:crypto";
import { RequestError } from "@agentclientprotocol/sdk";
import { formatShownCommand, type RequestParams, type RunAgainRow } from "@signalbox/protocol";
import { describeEscalation, readEscalation } from "@signalbox/rules";
import { HostError } from "../data/host-error.ts";
import { computeDigest } from "../permissions/require-shown.ts";
import type { Sessions } from "./sessions.ts";

type RunAgain = RequestParams<"terminal.run_again">;

/** Of a longer output the agent gets the end. */
const maxOutput = 8000;

/** Resolves when the command was started. Throws, and starts nothing, where it cannot be run again or is not what was shown. */
export async function runAgain(sessions: Sessions, params: RunAgain): Promise<void> {
  const { thread_id, shown: digest } = params;
  const { command, asked } = prepareAgain(sessions, params);
  if (digest !== undefined && digest !== computeDigest(formatShownCommand(command.shown)))
    throw new HostError("conflict", "The command is not the one that was shown, so it did not run. Look at it again.");
  const { line, ended } = await command.run().catch(refuseRun);
  const submitted = ended.then(({ ending, output }) => {
    const text = `I ran this command again for you, ${describeEscalation(asked)}:\n${fenced(line)}\n${ending}${
      output === "" ? " It printed nothing." : ` It printed:\n${fenced(output.slice(-maxOutput).toWellFormed())}`
    }`;
    return sessions.submit(thread_id, randomUUID(), [{ type: "text", text }]);
  });
  // The thread may be closed by now, and its terminals with it: then no one waits for the output.
  submitted.catch(() => {});
}

/** Shown to the person before the command runs again. */
export function previewAgain(sessions: Sessions, params: Omit<RunAgain, "shown">): RunAgainRow {
  return prepareAgain(sessions, params).command.shown;
}

function prepareAgain(sessions: Sessions, params: Omit<RunAgain, "shown">) {
  const { thread_id, terminal_id, to, folder, variables = [] } = params;
  const session = sessions.running(thread_id);
  if (session === null)
    throw new HostError("conflict", "The agent of this thread does not run any more. Send it a prompt first.");
  const asked = readEscalation({ reason: "The person ran it again.", to, folder });
  if (typeof asked === "string") throw new HostError("bad_request", asked);
  try {
    return { command: session.prepareAgain(terminal_id, asked, variables), asked };
  } catch (error) {
    return refuseRun(error);
  }
}

function refuseRun(error: unknown): never {
  throw error instanceof RequestError ? new HostError("bad_request", error.message) : error;
}

/** In a fence that the text itself does not have. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text.replace(/\n$/, "")}\n${fence}`;
}
