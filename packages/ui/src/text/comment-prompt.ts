// Writes the prompt of comments on lines of changed files.

export interface LineComment {
  readonly path: string;
  /** The first line of a range; absent for a single line. */
  readonly from?: number;
  /** In the file as it is after the change. */
  readonly line: number;
  /** The line's text, for the agent to find it. */
  readonly quote: string;
  readonly text: string;
}

/** "10", or "8-10" for a range. */
export function formatLines({ from, line }: Pick<LineComment, "from" | "line">): string {
  return from === undefined ? String(line) : `${from}-${line}`;
}

/** One prompt of all comments: file, lines, the last line itself, and what the person says about it. `words` come first. */
export function composeCommentPrompt(comments: readonly LineComment[], words = ""): string {
  const ordered = comments.toSorted((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
  const parts = ordered.map(
    (comment) => `${comment.path}:${formatLines(comment)}\n> ${comment.quote.trimEnd()}\n\n${comment.text.trim()}`,
  );
  const said = words.trim() === "" ? "" : `${words.trim()}\n\n`;
  return `${said}Comments on your changes:\n\n${parts.join("\n\n")}`;
}
