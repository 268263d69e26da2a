// AGENTS.md for the system prompt: of the session's folder and of the folders above it up to the repository's root.

export interface Instructions {
  /** Empty where there is none. The outermost comes first, so that the nearest has the last word. */
  readonly text: string;
  readonly paths: readonly string[];
}

export async function loadInstructions(_cwd: string): Promise<Instructions> {
  return { text: "", paths: [] };
}
