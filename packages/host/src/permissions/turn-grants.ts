// Remembers the answers of the running turn, so that an agent that asked and then acts through the host is not asked about again. A grant is for
// one act (read, write or run) on one thing; a grant to run a command is used up by running it.
import { escalationText, isHarmlessVariable, lineInShell, type Subject } from "@signalbox/rules";

interface Grant {
  readonly by: "person" | "rule";
  /** The request that was allowed, as it was shown. */
  readonly asked: Subject;
}

export class TurnGrants {
  readonly #grants = new Map<string, Grant[]>();

  /** Nothing is granted between turns. */
  clear(): void {
    this.#grants.clear();
  }

  add(asked: Subject, by: "person" | "rule"): void {
    for (const act of grantedActs(asked, by)) {
      const others = this.#grants.get(act) ?? [];
      // Each yes to a command is for one run. A file that was allowed stays so for the turn.
      if (isRun(act)) this.#grants.set(act, [...others, { by, asked }]);
      else if (others[0]?.by !== "person") this.#grants.set(act, [{ by, asked }]);
    }
  }

  /** A person refused it now, whatever they allowed before. */
  revoke(refused: Subject): void {
    for (const act of grantedActs(refused, "person")) this.#grants.delete(act);
  }

  /** Whether all of it was allowed. An answer of a rule counts only while `isStillAllowed`: the rules may have changed since. */
  take(subject: Subject, isStillAllowed: (asked: Subject) => boolean): boolean {
    const acts = plannedActs(subject);
    const found = acts.map((act) =>
      this.#grants.get(act)?.find(({ by, asked }) => by === "person" || isStillAllowed(asked)),
    );
    if (acts.length === 0 || found.includes(undefined)) return false;
    for (const [index, act] of acts.entries()) {
      const grants = this.#grants.get(act) ?? [];
      if (isRun(act))
        this.#grants.set(
          act,
          grants.filter((grant) => grant !== found[index]),
        );
    }
    return true;
  }
}

const runPrefix = "run ";

function isRun(act: string): boolean {
  return act.startsWith(runPrefix);
}

/** The acts that the host would carry out. */
function plannedActs(subject: Subject): readonly string[] {
  if (subject.command !== undefined) return [runAct(subject)];
  const act = subject.kind === "edit" ? "write" : "read";
  return subject.targets.map((path) => `${act} ${path}`);
}

/** The acts that a yes to this request opens: the command, or the paths that it showed. Other kinds open nothing. */
function grantedActs(subject: Subject, by: Grant["by"]): readonly string[] {
  const { kind, command, isCommandExact, targets } = subject;
  switch (kind) {
    case "other":
      // A person saw the command. A rule decided about a tool that need not run one.
      return by === "person" && command !== undefined && isCommandExact ? [runAct(subject)] : [];
    case "execute":
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
  // A shell around the command, added after the question, runs the same.
  const line = lineInShell(command ?? "");
  const rights = escalation === undefined ? "" : escalationText(escalation);
  return `${runPrefix}${JSON.stringify([line, commandFolder, special.toSorted(), rights])}`;
}
