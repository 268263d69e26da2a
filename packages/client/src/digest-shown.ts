// Computes the digest by which an answer says what its person was shown.
import { type ElicitationRow, formatShownQuestion, type PermissionRow } from "@signalbox/protocol";

/** Undefined on a page without encryption, where browsers do not compute it. The host then accepts answers about its own questions only. */
export async function digestShown(shown: string): Promise<string | undefined> {
  const { subtle } = crypto as { readonly subtle?: typeof crypto.subtle };
  if (subtle === undefined) return undefined;
  const bytes = new Uint8Array(await subtle.digest("SHA-256", new TextEncoder().encode(shown)));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The field of an answer that has the digests of the questions which it answers, by their id. */
export async function digestQuestions(
  questions: readonly (PermissionRow | ElicitationRow)[],
): Promise<{ readonly shown?: Readonly<Record<string, string>> }> {
  const shown: Record<string, string> = {};
  for (const question of questions) {
    const digest = await digestShown(formatShownQuestion(question));
    if (digest === undefined) return {};
    shown["elicitation_id" in question ? question.elicitation_id : question.permission_id] = digest;
  }
  return { shown };
}
