// Gives the agent the answer of a person, with what they said when they denied it: in the answer for agents that read it there, else as the next
// prompt.
import type { RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { type Subject, unwrapCommand } from "@signalbox/rules";
import { commentKey } from "@signalbox/tool-calls";
import type { Answer } from "../permissions/broker.ts";

/** How what a person said reaches the agent. */
export interface CommentWays {
  /** Whether the agent reads it in the answer to its question. */
  readonly readsComments: () => boolean;
  /** Sends a prompt when the running turn has ended. */
  readonly queuePrompt: (text: string) => void;
}

const maxNameLength = 200;

export function outcomeOf(
  ways: CommentWays,
  subject: Subject,
  { optionId, comment }: Answer,
): RequestPermissionResponse {
  if (comment !== undefined && !ways.readsComments()) ways.queuePrompt(promptOf(subject, comment));
  const said = comment === undefined ? {} : { _meta: { [commentKey]: comment } };
  return optionId === null
    ? { outcome: { outcome: "cancelled", ...said } }
    : { outcome: { outcome: "selected", optionId, ...said } };
}

function promptOf({ command, targets, hosts, tool, title }: Subject, comment: string): string {
  const line = command === undefined ? undefined : unwrapCommand(command).line;
  const what = line ?? (targets.length > 0 ? targets.join(", ") : (hosts[0] ?? title ?? tool));
  if (what === undefined) return `I denied what you asked for: ${comment}`;
  // The agent chose these words, and the prompt is the person's: they must not look like more of it.
  const plain = what.replaceAll(/[`\s\p{C}]+/gu, " ").trim();
  const name = plain.length > maxNameLength ? `${plain.slice(0, maxNameLength)}…` : plain;
  return `I denied \`${name}\`: ${comment}`;
}
