// Finds the options for the allow and deny keys, and describes what a tool call does.
import type { PermissionOption, ToolCallRow } from "@signalbox/protocol";
import { commandOf } from "@signalbox/rules";

export function isAllow(option: PermissionOption): boolean {
  return option.kind.startsWith("allow");
}

/** A key never allows more than this one action. */
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
