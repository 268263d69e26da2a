// Accepts a yes only for the question that the person was shown. The answer carries a digest of it, and this machine computes the same digest from its
// own register: a question that was changed on the way, in a shared database or on a screen that is behind, gets no yes.
import { createHash } from "node:crypto";
import { type ElicitationRow, formatShownQuestion, type PermissionRow, type RequestParams } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";
import type { Caller } from "../data/caller.ts";
import { HostError } from "../data/host-error.ts";

export function computeDigest(shown: string): string {
  return createHash("sha256").update(shown).digest("hex");
}

/** Throws for a yes to a question that was not shown as it is. A no gives nothing away, so it needs no digest. */
export async function requireShownPermission(
  register: Register,
  given: RequestParams<"permission.respond">,
  caller: Caller,
): Promise<void> {
  const { permission_id, option_id, also = [], shown } = given;
  if (shown === undefined && caller.type !== "machine") return;
  const ids = new Set([permission_id, ...also]);
  const pending = await readPending((from) => register.query("permissions.list", { limit: 200, ...from }));
  const questions = pending.filter((row) => ids.has(row.permission_id));
  const { options = [] } = questions.find((row) => row.permission_id === permission_id) ?? {};
  if (options.find(({ optionId }) => optionId === option_id)?.kind.startsWith("allow") !== true) return;
  for (const question of questions) compareShown(question, shown?.[question.permission_id], caller);
}

/** The same for a form or an address. */
export async function requireShownElicitation(
  register: Register,
  given: RequestParams<"elicitation.respond">,
  caller: Caller,
): Promise<void> {
  const { elicitation_id, action, shown } = given;
  if (action !== "accept" || (shown === undefined && caller.type !== "machine")) return;
  const pending = await readPending((from) => register.query("elicitations.list", { limit: 200, ...from }));
  const question = pending.find((row) => row.elicitation_id === elicitation_id);
  if (question !== undefined) compareShown(question, shown?.[elicitation_id], caller);
}

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next_cursor?: string;
}

/** A question that is not among them is not open any more, and then there is nothing to answer. */
async function readPending<Row>(read: (from: { cursor?: string }) => Promise<Page<Row>>): Promise<readonly Row[]> {
  const found: Row[] = [];
  let page = await read({});
  found.push(...page.rows);
  while (page.next_cursor !== undefined) {
    page = await read({ cursor: page.next_cursor });
    found.push(...page.rows);
  }
  return found;
}

function compareShown(question: PermissionRow | ElicitationRow, digest: string | undefined, caller: Caller): void {
  if (digest === undefined)
    throw new HostError(
      "bad_request",
      "An answer from another machine must carry a digest of each question that it allows. Update Signalbox there.",
    );
  if (digest === computeDigest(formatShownQuestion(question))) return;
  const advice =
    caller.type === "machine" ? "Answer it on the machine itself." : "Look at it again, and answer it then.";
  throw new HostError("conflict", `The question is not the one that was shown, so nothing was allowed. ${advice}`);
}
