// Explains to a model how a command ended, for both of our agents: a failure and what probably caused it stand before the output; where the exit code
// is 0 and a pipe may have hidden a failure, a guess stands after it.
import { type CommandEnd, endingLine, hasSucceeded } from "./command.ts";

interface EndExplanation {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

interface WaysOut {
  /** How to ask for more rights; absent where the tool has no way to. */
  readonly escalation?: string;
  /** How to get the network. */
  readonly network: string;
  /** The ids of the jobs that run in the background. */
  readonly runningJobs: readonly string[];
  /** Replaces the line about the ending of a command that did not succeed. */
  readonly ending?: string;
}

export function explainEnd(
  end: CommandEnd,
  { escalation, network, runningJobs, ending = endingLine(end.ending) }: WaysOut,
): EndExplanation {
  const hints = [
    ...end.denied,
    ...(end.denied.length > 0 && escalation !== undefined ? [escalation] : []),
    ...(end.networkDenied ? [network] : []),
  ];
  const silent = explainSilence(end.output, runningJobs);
  if (!hasSucceeded(end.ending)) return { before: [ending, ...hints, ...silent], after: [] };
  const guess = hints.length === 0 ? [] : ["If something above failed because of the sandbox:", ...hints];
  return { before: [], after: [...guess, ...silent] };
}

const refusedConnection = /refused|couldn.t connect|failed to connect/i;
const loopbackAddress = /(?<host>localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)(?::| port |"?, port )(?<port>\d{1,5})\b/i;
const maxLines = 2000;

/** A server on this machine that does not answer has not been started, or needs longer: the network has nothing to do with it. */
function explainSilence(output: string, runningJobs: readonly string[]): readonly string[] {
  const line = output
    .split("\n", maxLines)
    .find((each) => each.length < 1000 && refusedConnection.test(each) && loopbackAddress.test(each));
  const { host, port } = loopbackAddress.exec(line ?? "")?.groups ?? {};
  if (host === undefined) return [];
  const jobs = runningJobs.length === 0 ? "No jobs run in the background." : `Running jobs: ${runningJobs.join(", ")}.`;
  return [`Nothing listens on ${host}:${port} in this session. ${jobs}`];
}
