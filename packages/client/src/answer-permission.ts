// Answers a question for permission.
import type { PermissionOption, PermissionRow, RequestParams } from "@signalbox/protocol";
import type { HostConnection } from "./host-connection.ts";

/** Options of an answer: how far it is remembered, a comment on a denial, other questions that get the same answer. */
export type Answer = Partial<Pick<RequestParams<"permission.respond">, "remember" | "rule" | "comment" | "also">>;

/** `option` null denies, also where the agent offered no way to say no. Rejects when the question is not open any more. */
export async function answerPermission(
  connection: HostConnection,
  { thread_id, permission_id }: Pick<PermissionRow, "thread_id" | "permission_id">,
  option: PermissionOption | null,
  answer: Answer = {},
): Promise<void> {
  const option_id = option?.optionId ?? null;
  await connection.request("permission.respond", { thread_id, permission_id, option_id, ...answer });
}

/** The mildest option of each side: an answer by one key or button never gives away more than the one thing that was asked. */
export function mildestOptions(options: readonly PermissionOption[]): {
  allow: PermissionOption | undefined;
  deny: PermissionOption | undefined;
} {
  const of = (kind: string) => options.find((option) => option.kind === kind);
  return { allow: of("allow_once"), deny: of("reject_once") ?? of("reject_always") };
}
