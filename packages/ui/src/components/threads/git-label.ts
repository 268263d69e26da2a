// Names the git branch of a thread and what is not committed or not merged there, in a few words, and in a sentence.
import type { ThreadGit } from "@signalbox/protocol";

/** Says nothing about what was never looked at, and "?" about what could not be found out. */
export function gitLabel({ branch, ahead, behind, dirty }: ThreadGit): string {
  const counts = [
    ...(ahead !== undefined && ahead !== null && ahead > 0 ? [`↑${ahead}`] : []),
    ...(behind !== undefined && behind !== null && behind > 0 ? [`↓${behind}`] : []),
    ...(dirty === null ? ["?"] : []),
    ...(dirty !== undefined && dirty !== null && dirty > 0 ? [`±${dirty}`] : []),
  ];
  return [branch ?? "no branch", ...counts].join(" ");
}

export function gitTitle({ branch, worktree, base, compared_to, ahead, behind, dirty }: ThreadGit): string {
  return [
    branch === null ? "HEAD is a commit, not a branch." : `Branch ${branch}.`,
    ...(worktree === undefined ? [] : [`A worktree${base === null ? "" : ` of ${base}`} of its own: ${worktree}`]),
    ...(typeof ahead === "number" && typeof behind === "number" && typeof compared_to === "string"
      ? [`${commits(ahead)} more than ${compared_to}, ${commits(behind)} fewer.`]
      : []),
    ...(typeof dirty === "number" ? [`${dirty === 1 ? "1 file is" : `${dirty} files are`} not committed.`] : []),
    ...(dirty === null ? ["It is not known what is committed."] : []),
    "As it was after the last turn. Click to look again.",
  ].join("\n");
}

function commits(count: number): string {
  return count === 1 ? "1 commit" : `${count} commits`;
}
