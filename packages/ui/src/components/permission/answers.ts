// This module says what a question's options mean: their labels, which one each key gives, and what the agent wants.
import type { ChangedFile, PermissionOption, PermissionRow, ToolCallRow } from "@signalbox/protocol";
import { mildestOptions } from "@signalbox/react";
import { readCommand } from "@signalbox/rules";
import { shortPath } from "../../text/paths.ts";
import { visible } from "../../text/visible.ts";
import { isAsRoot } from "./risk-marks.ts";

export function isAllow(option: PermissionOption): boolean {
  return option.kind.startsWith("allow");
}

const kinds: Readonly<Record<string, { readonly label: string; readonly isNamed: RegExp }>> = {
  allow_once: { label: "Allow once", isNamed: /^(allow|yes|approve|accept|ok|run|continue|proceed)\b/i },
  allow_always: {
    label: "Always allow",
    isNamed: /^always|^(allow|yes|approve|accept)\b.*\b(always|session|ask|again)\b/i,
  },
  reject_once: { label: "Deny", isNamed: /^(deny|reject|no|do not|don.t|cancel|skip|keep)\b/i },
  reject_always: { label: "Always deny", isNamed: /^(never|always (deny|reject)|(deny|reject|no)\b.*\balways)\b/i },
};

/** The agent's own name where it says what the option does. Else our name for that stands before it: a yes can be called "Deny". */
export function optionLabel({ kind, name }: PermissionOption): string {
  const { label, isNamed } = kinds[kind] ?? { label: `Unknown option (${kind})`, isNamed: /^$/ };
  // An identifier of the agent's code, such as allow_once, is not a name for people.
  if (name === "" || (Object.hasOwn(kinds, kind) && /^[a-z]+(?:_[a-z]+)+$/.test(name))) return label;
  const isClear = isNamed.test(name) && !(kind === "allow_once" && /always|never/i.test(name));
  if (isClear && !contradicts(kind, name)) return name;
  return `${label}: ${name}`;
}

/** "OK, do not run it" begins like a yes. */
function contradicts(kind: string, name: string): boolean {
  const words = name.replace(/(?:don.t|do not|never) ask(?: me)? again/i, "");
  return (
    kind.startsWith("allow") &&
    /\b(?:no|not|never|nothing|don.t|deny|reject|refuse|decline|cancel|skip|stop|abort|without)\b/i.test(words)
  );
}

/** A way to say no that the host adds where the agent offered none. */
export const hostDeny: PermissionOption = { optionId: "signalbox/deny", name: "Deny", kind: "reject_once" };

const order = ["allow_once", "allow_always", "reject_once", "reject_always"];

/** Once, then remembered, then deny, whatever the agent sent first; there is always a way to say no. */
export function inOrder(options: readonly PermissionOption[]): readonly PermissionOption[] {
  const canDeny = options.some(({ kind }) => kind === "reject_once" || kind === "reject_always");
  return (canDeny ? options : [...options, hostDeny]).toSorted((a, b) => rankOption(a) - rankOption(b));
}

function rankOption({ kind }: PermissionOption): number {
  return order.includes(kind) ? order.indexOf(kind) : order.length;
}

/** An agent's own "always" that says no more than ours does: it would be a second way to remember. */
export function isOnlyAlways({ kind, name }: PermissionOption): boolean {
  if (kind !== "allow_always" && kind !== "reject_always") return false;
  return /^(?:always (?:allow|deny|reject)\b.*|(?:allow|deny|reject)[ _]always|(?:allow|reject) for this session|never)$/is.test(
    name.trim(),
  );
}

/** Whether the options are different answers, not only yes and no: then each has a button. */
export function isChoice(options: readonly PermissionOption[], kind: string): boolean {
  const many = (each: string) => options.filter((option) => option.kind === each).length > 1;
  const { allow, deny } = mildestOptions(options);
  return (
    kind === "switch_mode" || many("allow_once") || many("reject_once") || allow === undefined || deny === undefined
  );
}

/** Longer commands are shortened on the card's first line. */
const maxHeadLength = 80;

/** Whether the first line of a tool call's card shows the whole command, so that it need not stand below it again. */
export function isCommandInHead({
  title,
  kind,
  raw_input,
}: Pick<ToolCallRow, "title" | "kind" | "raw_input">): boolean {
  const command = readCommand(raw_input)?.trim();
  if (command === undefined) return false;
  if (title === `\`${command}\``) return true;
  return (
    kind === "execute" && !command.includes("\n") && command.length <= maxHeadLength && !isCommandTitle(title, command)
  );
}

/** Whether a title names the command, perhaps shortened, in backticks, or with words around it. */
export function isCommandTitle(title: string, command: string): boolean {
  const plain = oneLine(title.replaceAll("`", "")).replace(/(…|\.\.\.)$/, "");
  const whole = oneLine(command.replaceAll("`", ""));
  return plain.includes(whole) || (plain.length >= minNamed && whole.startsWith(plain));
}

/** Of a shortened title at least so much must be the command's. */
const minNamed = 8;
const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();

/** Whether an answer could do more than what the card shows, or something out of the usual place: then Allow takes two keys. */
export function hasRisk(
  { subject, outside }: Pick<PermissionRow, "subject" | "outside">,
  files: readonly ChangedFile[],
): boolean {
  if (subject === null || outside.length > 0 || subject.escalation !== null || isAsRoot({ subject })) return true;
  const isUnclear = files.some(
    (file) => file.binary === true || file.too_big === true || file.outdated === true || file.unread === true,
  );
  return isUnclear || (subject.command === null ? subject.kind === "execute" : !subject.is_command_exact);
}

const verbs: Readonly<Record<string, string>> = {
  read: "read a file",
  edit: "edit a file",
  delete: "delete a file",
  move: "move a file",
  search: "search in files",
  execute: "run a command that it does not name",
  think: "plan",
  fetch: "fetch from the network",
  switch_mode: "switch its mode",
};

/** Describes the requested action in a phrase, from the host's description of it. */
export function describeWish({ subject, hunks }: Pick<PermissionRow, "subject" | "hunks">): string {
  if (subject === null) return "do something";
  const { command, command_lines: lines, hosts, tool, kind } = subject;
  if (command !== null) {
    const what = lines > 1 ? "run a script" : "run a command";
    return subject.escalation === null ? what : `${what} with more rights`;
  }
  const [file, ...others] = hunks;
  if (others.length > 0) return `change ${others.length + 1} files`;
  if (file !== undefined)
    return { added: "create a file", modified: "edit a file", deleted: "delete a file" }[file.status];
  if (hosts.length > 0) return `reach ${hosts.join(", ")}`;
  return verbs[kind] ?? (tool === null ? "do something" : `use the tool ${tool}`);
}

/** Builds a key that is equal for questions which may be answered together. */
export function buildGroupKey({ subject, hunks }: Pick<PermissionRow, "subject" | "hunks">): string {
  if (subject === null) return "";
  // A yes to more rights is given to each by itself.
  if (subject.escalation !== null) return `escalation ${subject.command}`;
  if (subject.command !== null) return "command";
  return hunks.length > 0 ? "files" : `${subject.kind} ${subject.tool ?? ""}`;
}

/** One line that names what the question is about. */
export function nameQuestion({ subject, hunks }: Pick<PermissionRow, "subject" | "hunks">, folder: string): string {
  const paths = hunks.length > 0 ? hunks.map(({ path }) => path) : (subject?.paths ?? []);
  const others = (subject?.command_lines ?? 1) - 1;
  const rest = others > 0 ? ` … and ${others} more ${others === 1 ? "line" : "lines"}` : "";
  const [first] = subject?.command?.split("\n") ?? [];
  const name = visible(first === undefined ? paths.map((path) => shortPath(path, folder)).join(", ") : first + rest);
  return name === "" ? (subject?.hosts[0] ?? subject?.tool ?? subject?.kind ?? "") : name;
}

const maxNamedLength = 200;

/** Whether `nameOf` says everything: what it does not say is not allowed together with others without a look. */
export function isNamedWhole({ subject }: Pick<PermissionRow, "subject">): boolean {
  if (subject === null || subject.command === null) return true;
  const { command, command_lines: lines, folder, environment } = subject;
  return (
    lines === 1 &&
    command.length <= maxNamedLength &&
    folder === null &&
    environment.length === 0 &&
    subject.escalation === null
  );
}
