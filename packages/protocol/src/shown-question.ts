// Writes down a question exactly as it is shown to the person who answers it. An answer carries the SHA-256 of this text, so that a yes covers what
// was shown and nothing else: the host compares it with the question that it would answer.
import type { RunAgainRow } from "./run-again-row.ts";
import type { ElicitationRow, PermissionRow } from "./tables.ts";

/** Names each field that a card draws. `hunks_ref` stands for all changes: its hash is that of their text. */
export function formatShownQuestion(question: PermissionRow | ElicitationRow): string {
  if ("elicitation_id" in question) {
    const { elicitation_id, mode, message, schema, url } = question;
    return formatInOrder({ elicitation_id, mode, message, schema, url });
  }
  const { permission_id, options, subject, outside, hunks, hunks_ref, rule, rule_if_remembered } = question;
  const { remember_scopes, wider_rules } = question;
  const remembered = { rule, rule_if_remembered, remember_scopes, wider_rules };
  return formatInOrder({ permission_id, options, subject, outside, hunks, hunks_ref, ...remembered });
}

export function formatShownCommand(command: RunAgainRow): string {
  return formatInOrder(command);
}

/** JSON with the fields of each object in the order of their names: a database may give them in another one. */
function formatInOrder(value: object): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}
