// This module says what a question's options mean: their labels, which one each key gives, and what the agent wants.
import type { PermissionOption, ToolCallRow } from "@signalbox/protocol";
import { commandOf } from "@signalbox/rules";

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
  if (isNamed.test(name) && !(kind === "allow_once" && /always|never/i.test(name))) return name;
  return name === "" ? label : `${label}: ${name}`;
}

/** The mildest of each side: an answer by key never gives away more than the one thing that was asked. */
export function keyedOptions(options: readonly PermissionOption[]): {
  allow: PermissionOption | undefined;
  deny: PermissionOption | undefined;
} {
  const of = (kind: string) => options.find((option) => option.kind === kind);
  return { allow: of("allow_once"), deny: of("reject_once") ?? of("reject_always") };
}

/** The title is exactly the command. */
export function isOnlyCommand({ title, raw_input }: Pick<ToolCallRow, "title" | "raw_input">): boolean {
  const command = commandOf(raw_input);
  return command !== undefined && title === `\`${command}\``;
}

/** The title is only the beginning of the command. */
export function isTruncatedCommand({ title, raw_input }: Pick<ToolCallRow, "title" | "raw_input">): boolean {
  const beginning = /^`(.+)…`$/s.exec(title)?.[1];
  return beginning !== undefined && oneLine(commandOf(raw_input) ?? "").startsWith(oneLine(beginning));
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim();

const verbs: Readonly<Record<string, string>> = {
  read: "read this",
  edit: "edit this",
  delete: "delete this",
  move: "move this",
  search: "search for this",
  execute: "run this",
  think: "plan this",
  fetch: "fetch this",
  switch_mode: "switch its mode",
};

export function wantsTo(toolCall: Pick<ToolCallRow, "kind"> | null): string {
  return verbs[toolCall?.kind ?? ""] ?? "use this tool";
}
