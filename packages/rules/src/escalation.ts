// This module reads what a command asks for beyond its sandbox: `escalate` in the input of a tool call, or `signalbox/escalate` in the `_meta` of a
// request for a terminal. A rule allows it only if it has a term `escalate`.

/** `outside`: no sandbox. `network`: the sandbox, with the network. `write`: the sandbox, with one more folder that can be written. */
export type EscalationTarget = "outside" | "network" | "write";

/** A type, not an interface, so that it also is JSON. */
export type Escalation = {
  readonly to: EscalationTarget;
  /** For `write`: the folder. */
  readonly folder?: string;
  /** Why, in the agent's words. */
  readonly reason: string;
};

/** The name in `_meta` of `terminal/create`. */
export const escalationKey = "signalbox/escalate";

const targets: readonly unknown[] = ["outside", "network", "write"] satisfies EscalationTarget[];

/** Returns the escalation, or one sentence that says what is wrong with it. */
export function readEscalation(value: unknown): Escalation | string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return `escalate ${howToAsk}`;
  const { to = "outside", folder, reason } = value as Readonly<Record<string, unknown>>;
  if (!targets.includes(to)) return `\`to\` of escalate is "outside", "network" or "write", not ${JSON.stringify(to)}`;
  if (typeof reason !== "string" || reason.trim() === "") return "escalate needs a reason, which the person reads";
  if (to !== "write") return { to: to as EscalationTarget, reason };
  if (typeof folder !== "string" || folder === "") return "escalate to write needs a folder";
  return { to, folder, reason };
}

const howToAsk = 'is an object such as {"reason": "git push needs your ssh key", "to": "outside"}';

/** Reads the escalation of a tool call. A malformed one counts as the widest that could be meant. */
export function findEscalation(input: Readonly<Record<string, unknown>>): Escalation | undefined {
  const { escalate } = input;
  if (escalate === undefined || escalate === null || escalate === false) return undefined;
  const read = readEscalation(escalate);
  return typeof read === "string" ? { to: "outside", reason: "" } : read;
}

/** Formats an escalation as the term `escalate` of a rule matches it: `outside`, `network`, `write /folder`. */
export function escalationText({ to, folder }: Escalation): string {
  return folder === undefined ? to : `${to} ${folder}`;
}

/** For a title: `git push` outside the sandbox. */
export function describeEscalation({ to, folder }: Pick<Escalation, "to" | "folder">): string {
  switch (to) {
    case "outside":
      return "outside the sandbox";
    case "network":
      return "with the network";
    case "write":
      return `with write access to ${folder ?? "another folder"}`;
  }
}

/** Describes the rights a command would get, for the person who decides. */
export function describeRights({ to, folder }: Pick<Escalation, "to" | "folder">): string {
  switch (to) {
    case "outside":
      return "No sandbox: it can read, change and send everything that you can.";
    case "network":
      return "The sandbox, with the whole network.";
    case "write":
      return `The sandbox, and it can also write in ${folder ?? "another folder"}.`;
  }
}
