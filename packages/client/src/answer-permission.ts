// Answers a question of an agent, and says which question was shown.
import type { ElicitationRow, PermissionOption, PermissionRow, RequestParams } from "@signalbox/protocol";
import { digestQuestions } from "./digest-shown.ts";
import type { HostConnection } from "./host-connection.ts";

/** Options of an answer: how far it is remembered, a comment on a denial, other questions that get the same answer. */
export type Answer = Partial<Pick<RequestParams<"permission.respond">, "remember" | "rule" | "comment">> & {
  readonly also?: readonly PermissionRow[];
};

/**
 * Answers the question as this row has it: the host refuses a yes if it has another one under the same id. `option` null denies, also where the
 * agent offered no way to say no. Rejects when the question is not open any more.
 */
export async function answerPermission(
  connection: HostConnection,
  question: PermissionRow,
  option: PermissionOption | null,
  { also = [], ...answer }: Answer = {},
): Promise<void> {
  const { thread_id, permission_id } = question;
  const option_id = option?.optionId ?? null;
  const digests = await digestQuestions([question, ...also]);
  const others = also.length === 0 ? {} : { also: also.map((row) => row.permission_id) };
  await connection.request("permission.respond", {
    thread_id,
    permission_id,
    option_id,
    ...answer,
    ...others,
    ...digests,
  });
}

/** The same for a form or an address. */
export async function answerElicitation(
  connection: HostConnection,
  question: ElicitationRow,
  answer: Pick<RequestParams<"elicitation.respond">, "action" | "content">,
): Promise<void> {
  const { thread_id, elicitation_id } = question;
  const digests = await digestQuestions([question]);
  await connection.request("elicitation.respond", { thread_id, elicitation_id, ...answer, ...digests });
}

/** The mildest option of each side: an answer by one key or button never gives away more than the one thing that was asked. */
export function mildestOptions(options: readonly PermissionOption[]): {
  allow: PermissionOption | undefined;
  deny: PermissionOption | undefined;
} {
  const of = (kind: string) => options.find((option) => option.kind === kind);
  return { allow: of("allow_once"), deny: of("reject_once") ?? of("reject_always") };
}
