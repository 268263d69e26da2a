// Gives the agent the answer to its question, and who gave it where no person did. What a person said when they denied it comes with the answer for
// agents that read it there, else as the next prompt.
import type { RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { type Subject, unwrapCommand } from "@signalbox/rules";
import { commentKey, deniedByKey, deniedByNoPerson } from "@signalbox/tool-calls";
import type { Answer } from "../permissions/broker.ts";

/** How what a person said reaches the agent. */
export interface CommentWays {
  /** Whether the agent reads it in the answer to its question. */
  readonly readsComments: () => boolean;
  /** Sends a prompt when the running turn has ended. */
  readonly queuePrompt: (text: string) => void;
}

const maxNameLength = 200;

export function makeOutcome(ways: CommentWays, subject: Subject, answer: Answer): RequestPermissionResponse {
  const { optionId, comment } = answer;
  if (comment !== undefined && !ways.readsComments())
    ways.queuePrompt(composePrompt(subject, answer.decidedBy === "person" ? "I" : "Signalbox", comment));
  const meta = makeMeta(answer);
  const said = Object.keys(meta).length === 0 ? {} : { _meta: meta };
  return optionId === null
    ? { outcome: { outcome: "cancelled", ...said } }
    : { outcome: { outcome: "selected", optionId, ...said } };
}

/** Why the agent may not do what it asked for, in words for its model. */
export function describeReason(answer: Answer): string {
  const { status, comment } = answer;
  if (status === "cancelled") return "This was cancelled.";
  const denied = deniedByNoPerson({ _meta: makeMeta(answer) });
  return denied ?? (comment === undefined ? "The user denied this." : `The user denied this. They said: ${comment}`);
}

function makeMeta({ status, comment, decidedBy }: Answer): Record<string, string> {
  const isOfNoPerson = status !== "allowed" && status !== "cancelled" && decidedBy !== "person";
  return {
    ...(comment === undefined ? {} : { [commentKey]: comment }),
    ...(isOfNoPerson ? { [deniedByKey]: decidedBy } : {}),
  };
}

function composePrompt({ command, targets, hosts, tool, title }: Subject, who: string, comment: string): string {
  const line = command === undefined ? undefined : unwrapCommand(command).line;
  const what = line ?? (targets.length > 0 ? targets.join(", ") : (hosts[0] ?? title ?? tool));
  if (what === undefined) return `${who} denied what you asked for: ${comment}`;
  // The agent chose these words, and the prompt is the person's: they must not look like more of it.
  const plain = what.replaceAll(/[`\s\p{C}]+/gu, " ").trim();
  const name = plain.length > maxNameLength ? `${plain.slice(0, maxNameLength)}…` : plain;
  return `${who} denied \`${name}\`: ${comment}`;
}
