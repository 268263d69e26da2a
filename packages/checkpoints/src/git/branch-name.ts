// Makes a branch's name from what a thread is called, and a folder's name from a branch.

const maxLength = 40;

/** Letters and digits of any script, joined by dashes: safe as a branch, as a folder and in a shell. */
export function makeBranchName(title: string | null): string {
  const words = (title ?? "")
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .normalize("NFC")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
  let name = "";
  for (const word of words) {
    const longer = name === "" ? word : `${name}-${word}`;
    if (longer.length > maxLength) break;
    name = longer;
  }
  if (name === "") name = shorten(words[0] ?? "thread");
  return name;
}

/** The name itself, or with a number where it is taken. */
export function findFreeName(name: string, isTaken: (candidate: string) => boolean): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    if (!isTaken(candidate)) return candidate;
  }
}

/** One folder, whatever the branch or the project is called, and short enough for every disk. */
export function makeFolderName(name: string): string {
  const safe = name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[.-]+/, "") || "worktree";
  return shorten(safe);
}

/** Not in the middle of a letter. */
function shorten(text: string): string {
  return text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, "");
}
