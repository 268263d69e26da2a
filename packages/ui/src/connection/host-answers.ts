/** Whether anything at all answers at the host's address. */
export async function hostAnswers(): Promise<boolean> {
  try {
    return (await fetch("/health", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}
