// This module keeps what was allowed in the running turn, so that an agent that asked and then acts through the host is not asked about twice.
// A grant is for one act (read, write or run) on one thing.
import { escalationText, isHarmlessVariable, lineInShell, type Subject } from "@signalbox/rules";

/** Who allowed it. What a rule allowed is decided again by the rules. */
type GrantedBy = "person" | "rule";

export class Grants {
  readonly #granted = new Map<string, GrantedBy>();

  /** Nothing is granted between turns. */
  clear(): void {
    this.#granted.clear();
  }

  add(subject: Subject, by: GrantedBy): void {
    for (const act of grantedActs(subject)) if (this.#granted.get(act) !== "person") this.#granted.set(act, by);
  }

  /** Undefined when any part of it was not allowed. */
  covers(subject: Subject): GrantedBy | undefined {
    const found = actsOf(subject).map((act) => this.#granted.get(act));
    if (found.length === 0 || found.includes(undefined)) return undefined;
    return found.includes("rule") ? "rule" : "person";
  }
}

/** What the host would do. */
function actsOf(subject: Subject): readonly string[] {
  if (subject.command !== undefined) return [runAct(subject)];
  const act = subject.kind === "edit" ? "write" : "read";
  return subject.targets.map((path) => `${act} ${path}`);
}

/** What a yes to this question opens: the command, or the paths that the question showed. Other kinds open nothing. */
function grantedActs(subject: Subject): readonly string[] {
  const { kind, command, isCommandExact, targets } = subject;
  switch (kind) {
    case "execute":
    case "other":
      return command !== undefined && isCommandExact ? [runAct(subject)] : [];
    case "read":
      return targets.map((path) => `read ${path}`);
    case "edit":
      return targets.flatMap((path) => [`write ${path}`, `read ${path}`]);
    default:
      return [];
  }
}

function runAct({ command, commandFolder, variables, escalation }: Subject): string {
  const special = variables
    .filter(({ name, value }) => !isHarmlessVariable(name, value))
    .map(({ name, value }) => `${name}=${value}`);
  // A shell around it, added after the question, runs the same.
  const line = lineInShell(command ?? "");
  const rights = escalation === undefined ? "" : escalationText(escalation);
  return `run ${JSON.stringify([line, commandFolder, special.toSorted(), rights])}`;
}
