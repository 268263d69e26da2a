// The marks at the head of a question: in a word each, why it deserves a second look. A danger also puts Deny first and leaves no usual answer.
import type { PermissionRow } from "@signalbox/protocol";

interface RiskMark {
  readonly label: string;
  readonly isDanger: boolean;
}

type Asked = Pick<PermissionRow, "subject" | "outside">;

/** Where a command begins: at the start, or after an operator of the shell. */
const commandStart = String.raw`(?:^|[;&|({\n])\s*(?:\w+=\S*\s+)*`;
const rootCommand = new RegExp(`${commandStart}(?:sudo|doas|su)\\b`);
const deleteCommand = new RegExp(
  `${commandStart}(?:(?:sudo|doas)\\s+)?(?:rm|rmdir|unlink|shred|git\\s+clean|find\\b.*-delete)\\b`,
);

/** Whether the command asks for root's rights. */
export function isAsRoot({ subject }: Pick<Asked, "subject">): boolean {
  return rootCommand.test(subject?.command ?? "");
}

/** An edit has no command, so nothing of one can be missing. */
function isPartOfCommand(subject: Asked["subject"]): boolean {
  return subject !== null && subject.command !== null && !subject.is_command_exact;
}

export function listRiskMarks(question: Asked, isUnread: boolean): readonly RiskMark[] {
  const { subject, outside } = question;
  const hosts = new Set([...(subject?.hosts ?? []), ...(subject?.command_hosts ?? [])]).size;
  const command = subject?.command ?? "";
  const marks: readonly (RiskMark & { readonly isTrue: boolean })[] = [
    { label: "as root", isDanger: true, isTrue: isAsRoot(question) },
    { label: "outside the sandbox", isDanger: true, isTrue: (subject?.escalation ?? null) !== null },
    { label: "outside the folder", isDanger: true, isTrue: outside.length > 0 },
    { label: "not read to its end", isDanger: true, isTrue: isUnread || isPartOfCommand(subject) },
    { label: "deletes", isDanger: false, isTrue: subject?.kind === "delete" || deleteCommand.test(command) },
    { label: hosts === 1 ? "1 host" : `${hosts} hosts`, isDanger: false, isTrue: hosts > 0 },
  ];
  return marks.filter(({ isTrue }) => isTrue).map(({ label, isDanger }) => ({ label, isDanger }));
}
