// Splits a tool call's title into text and code (between backticks), on one line.

interface TitlePiece {
  readonly text: string;
  readonly code: boolean;
}

export function titlePieces(title: string): readonly TitlePiece[] {
  const pieces: TitlePiece[] = [];
  let from = 0;
  for (const match of title.matchAll(/(?<!\\)(`+)(.+?)(?<!\\)\1/gs)) {
    if (match.index > from) pieces.push({ text: plain(title.slice(from, match.index)), code: false });
    pieces.push({ text: plain(match[2] ?? ""), code: true });
    from = match.index + match[0].length;
  }
  if (from < title.length) pieces.push({ text: plain(title.slice(from)), code: false });
  return pieces;
}

const plain = (text: string) => text.replaceAll("\\`", "`").replaceAll(/\s+/g, " ");

/** How the register calls a call to which its agent gave neither a title nor a name: these are not the agent's words. */
const untitled = "Tool call";

/** Returns the agent's own title for the call, or an empty string if the agent gave none. */
export function agentTitle(title: string): string {
  return title === untitled ? "" : title;
}
