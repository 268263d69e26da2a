// Tests how the head of a thread names its branch: what is known, what is not, and what was never looked at.
import { expect, it } from "vitest";
import { gitLabel, gitTitle } from "./git-label.ts";

it("shows the branch, commits to merge, and files that are not committed", () => {
  const git = { branch: "fix", compared_to: "main", ahead: 2, behind: 1, dirty: 3 };
  expect(gitLabel(git)).toBe("fix ↑2 ↓1 ±3");
  expect(gitTitle(git)).toContain("2 commits more than main, 1 commit fewer.");
  expect(gitLabel({ branch: "main", compared_to: null, ahead: null, behind: null, dirty: 0 })).toBe("main");
  expect(gitLabel({ branch: "main" })).toBe("main");
});

it("says what is not known", () => {
  const git = { branch: null, worktree: "/w", base: "main", ahead: null, behind: null, dirty: null };
  expect(gitLabel(git)).toBe("no branch ?");
  expect(gitTitle(git)).toContain("A worktree of main of its own: /w\nIt is not known what is committed.");
});
