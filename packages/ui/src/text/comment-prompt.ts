// Writes the prompt of comments on lines of changed files.

export interface LineComment {
  readonly path: string;
  /** In the file as it is after the change. */
  readonly line: number;
  /** The line's text, for the agent to find it. */
  readonly quote: string;
  readonly text: string;
}

/** One prompt of all comments: file, line, the line itself, and what the person says about it. */
export function composeCommentPrompt(comments: readonly LineComment[]): string {
  const ordered = comments.toSorted((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
  const parts = ordered.map(({ path, line, quote, text }) => `${path}:${line}\n> ${quote.trimEnd()}\n\n${text.trim()}`);
  return `Comments on your changes:\n\n${parts.join("\n\n")}`;
}
