// Describes a command before it runs, for the rules and for a person. The environment and the folder decide what a command does, so they are part of
// both.
import type { EnvVariable } from "@agentclientprotocol/sdk";
import {
  describeEscalation,
  describeSubject,
  type Escalation,
  isHarmlessVariable,
  type Place,
  unwrapCommand,
} from "@signalbox/rules";
import { redactText } from "@signalbox/tool-calls";
import type { PlannedAction } from "./require-permission.ts";

interface CommandRequest {
  readonly line: string;
  readonly folder: string;
  readonly env?: readonly EnvVariable[];
  readonly escalation?: Escalation | undefined;
}

export function planCommand(place: Place, { line, folder, env = [], escalation }: CommandRequest): PlannedAction {
  const variables = env.filter(({ name, value }) => !isHarmlessVariable(name, value));
  const isElsewhere = folder !== place.cwd;
  const shownVariables = variables.map(({ name, value }) => redactText(`${name}=${value}`));
  const title = [
    // Without the shell that an agent wraps around it, as the question shows it.
    `\`${unwrapCommand(line).line}\``,
    ...(escalation === undefined ? [] : [describeEscalation(escalation)]),
    ...(isElsewhere ? [`in \`${folder}\``] : []),
    ...(shownVariables.length > 0 ? [`with \`${shownVariables.join(" ")}\``] : []),
  ].join(" ");
  const escalate = escalation === undefined ? {} : { escalate: escalation };
  const rawInput = {
    command: line,
    ...(isElsewhere ? { cwd: folder } : {}),
    ...(shownVariables.length > 0 ? { env: shownVariables } : {}),
    ...escalate,
  };
  const described = { command: line, cwd: folder, env, ...escalate };
  const subject = describeSubject({ title, kind: "execute", rawInput: described }, place);
  return { subject, description: { title, kind: "execute", rawInput } };
}
