// Runs a command of a terminal again, with more rights than its sandbox gave, because a person said so; the agent gets the output as a prompt.
import { randomUUID } from "node:crypto";
import { RequestError } from "@agentclientprotocol/sdk";
import { describeEscalation, type EscalationTarget, readEscalation } from "@signalbox/rules";
import { HostError } from "../data/host-error.ts";
import type { Sessions } from "./sessions.ts";

interface RunAgain {
  readonly thread_id: string;
  readonly terminal_id: string;
  readonly to: EscalationTarget;
  readonly folder?: string | undefined;
}

/** Of a longer output the agent gets the end. */
const maxOutput = 8000;

/** Resolves when the command was started. Throws, and starts nothing, where it cannot be run again. */
export async function runAgain(sessions: Sessions, { thread_id, terminal_id, to, folder }: RunAgain): Promise<void> {
  const session = sessions.running(thread_id);
  if (session === null)
    throw new HostError("conflict", "The agent of this thread does not run any more. Send it a prompt first.");
  const asked = readEscalation({ reason: "The person ran it again.", to, folder });
  if (typeof asked === "string") throw new HostError("bad_request", asked);
  const { line, ended } = await session.runAgain(terminal_id, asked).catch((error: unknown) => {
    throw error instanceof RequestError ? new HostError("bad_request", error.message) : error;
  });
  const submitted = ended.then(({ ending, output }) => {
    const text = `I ran this command again for you, ${describeEscalation(asked)}:\n${fenced(line)}\n${ending}${
      output === "" ? " It printed nothing." : ` It printed:\n${fenced(output.slice(-maxOutput).toWellFormed())}`
    }`;
    return sessions.submit(thread_id, randomUUID(), [{ type: "text", text }]);
  });
  // The thread may be closed by now, and its terminals with it: then no one waits for the output.
  submitted.catch(() => {});
}

/** In a fence that the text itself does not have. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text.replace(/\n$/, "")}\n${fence}`;
}
