// Finds what the sandbox would refuse whatever a person answers, so that no one is asked about it.
import type { Subject } from "@signalbox/rules";
import { canRead, canWrite, findRefusal, type SandboxRights, withMoreRights } from "@signalbox/sandbox";
import type { CommandSandbox } from "./thread-context.ts";

type Sandbox = Pick<CommandSandbox, "policy" | "enforcement" | "actsThroughHost">;

/** Why the host would run no command in this folder; undefined where it would. */
export function refuseCommand({ policy, enforcement }: SandboxRights, cwd: string): string | undefined {
  return findRefusal({ policy, enforcement, cwd })?.message;
}

/** The same for what an agent asks about before it does it through the host. Of an agent that may do it itself, nothing is known. */
export function findSandboxRefusal(sandbox: Sandbox, subject: Subject): string | undefined {
  if (!sandbox.actsThroughHost) return undefined;
  const { kind, command, commandFolder, targets, escalation } = subject;
  if (command !== undefined) {
    if (kind !== "execute") return undefined;
    const rights = escalation === undefined ? sandbox : withMoreRights(sandbox, escalation);
    return typeof rights === "string" ? rights : refuseCommand(rights, commandFolder);
  }
  const decide = { edit: canWrite, read: canRead }[kind];
  if (decide === undefined) return undefined;
  for (const path of targets) {
    const decision = decide(sandbox.policy, path);
    if (!decision.allowed) return decision.message;
  }
  return undefined;
}
