// Tests what is decided about git without running it: names of branches and folders, which filters are taken back, what a status says.
import { describe, expect, it } from "vitest";
import { findFreeName, makeBranchName, makeFolderName } from "./branch-name.ts";
import { overridePrograms, parseConfig, selectFileSettings } from "./repository-config.ts";
import { parseStatus } from "./work-tree-state.ts";

describe("a branch's name", () => {
  it("comes from the title: letters and digits, joined by dashes, at most 40 of them, in whole words", () => {
    expect(makeBranchName("Fix the failing test!")).toBe("fix-the-failing-test");
    expect(makeBranchName("--upload-pack=sh $(id) `x` ../../etc")).toBe("upload-pack-sh-id-x-etc");
    expect(makeBranchName("Größe prüfen: Ä")).toBe("große-prufen-a");
    expect(makeBranchName("日本語の題名")).toBe("日本語の題名");
    expect(makeBranchName("Uploads fail for good when the connection drops in the middle")).toBe(
      "uploads-fail-for-good-when-the",
    );
    expect(makeBranchName("a".repeat(300))).toBe("a".repeat(40));
    expect(makeBranchName("a𠀀".repeat(30)).isWellFormed()).toBe(true);
    for (const nothing of [null, "", " … ", "💥", "..", "@{-1}"])
      expect(makeBranchName(nothing)).toMatch(/^(thread|1)$/);
  });

  it("gets a number where it is taken", () => {
    const taken = new Set(["fix", "fix-2"]);
    expect(findFreeName("fix", (name) => taken.has(name))).toBe("fix-3");
  });

  it("gives one folder, whatever it is called", () => {
    expect(makeFolderName("feature/a b")).toBe("feature-a-b");
    expect(makeFolderName("../..")).toBe("worktree");
    expect(makeFolderName(".git")).toBe("git");
  });
});

const configOf = (entries: readonly string[][]) =>
  parseConfig(Buffer.from(entries.map(([scope, entry]) => `${scope}\0${entry}\0`).join("")));

describe("a repository's own filters", () => {
  it("are taken back, and replaced by the user's of the same name", () => {
    const entries = [
      ["global", "filter.lfs.smudge\ngit-lfs smudge -- %f"],
      ["local", "filter.lfs.smudge\nevil"],
      ["local", "filter.a=b.c.smudge\nevil"],
      ["local", "filter.x.required\ntrue"],
      ["worktree", "filter.y.process\nevil\nwith a second line"],
      ["global", "filter.z.clean\nfine"],
      ["local", "core.bare\nfalse"],
      ["local", "filter.w.required"],
      ["local", "merge.own.driver\nevil %A"],
      ["local", "filter.ä.clean\nevil"],
    ];
    expect(overridePrograms(configOf(entries))).toEqual([
      ["filter.lfs.smudge", "git-lfs smudge -- %f"],
      ["filter.a=b.c.smudge", ""],
      ["filter.x.required", "false"],
      ["filter.y.process", ""],
      ["filter.w.required", "false"],
      ["merge.own.driver", "false"],
      ["filter.ä.clean", ""],
    ]);
  });

  it("cannot be taken back where a name is not text", () => {
    const entries = parseConfig(Buffer.from("local\0filter.\xff.clean\nevil\0", "latin1"));
    expect(() => overridePrograms(entries)).toThrow("not text");
  });
});

it("a look at a repository obeys only settings that name no program, and those of its branch", () => {
  const entries = [
    ["global", "core.autocrlf\ntrue"],
    ["local", "core.autocrlf\ninput"],
    ["local", "core.fsmonitor\nevil"],
    ["local", "core.sshcommand\nevil"],
    ["local", "filter.x.clean\nevil"],
    ["local", "branch.main.remote\norigin"],
    ["local", "branch.main.merge\nrefs/heads/main"],
    ["local", "branch.other.remote\norigin"],
    ["local", "remote.origin.uploadpack\nevil"],
    ["local", "remote.origin.fetch\n+refs/heads/*:refs/remotes/origin/*"],
    ["worktree", "core.excludesfile\n/a"],
  ];
  expect(selectFileSettings(configOf(entries), "main")).toEqual([
    ["core.autocrlf", "input"],
    ["core.excludesfile", "/a"],
    ["branch.main.remote", "origin"],
    ["branch.main.merge", "refs/heads/main"],
    ["remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"],
  ]);
});

describe("a status", () => {
  const hashes = "100644 100644 100644 aa bb";

  it("gives the branch, the distance to its upstream and every kind of file", () => {
    const lines = [
      "# branch.oid 1234",
      "# branch.head main",
      "# branch.upstream origin/main",
      "# branch.ab +2 -1",
      `1 .M N... ${hashes} a file.txt`,
      `1 A. N... ${hashes} new`,
      `1 AM N... ${hashes} new and changed`,
      `1 .D N... ${hashes} gone`,
      `2 R. N... ${hashes} R100 to here\0from there`,
      "u UU N... 1 2 3 4 aa bb cc both sides",
      "? line\nbreak",
    ];
    expect(parseStatus(`${lines.join("\0")}\0`)).toEqual({
      branch: "main",
      head: "1234",
      upstream: "origin/main",
      ahead: 2,
      behind: 1,
      dirty: 7,
      files: [
        { path: "a file.txt", status: "modified" },
        { path: "new", status: "added" },
        { path: "new and changed", status: "added" },
        { path: "gone", status: "deleted" },
        { path: "to here", status: "renamed", old_path: "from there" },
        { path: "both sides", status: "conflicted" },
        { path: "line\nbreak", status: "untracked" },
      ],
    });
  });

  it("says what is not known: no branch, no commit, an upstream that is gone", () => {
    const gone = "# branch.oid (initial)\0# branch.head (detached)\0# branch.upstream origin/x\0";
    expect(parseStatus(gone)).toEqual({
      branch: null,
      head: null,
      upstream: null,
      ahead: null,
      behind: null,
      dirty: 0,
      files: [],
    });
  });
});
