import { describe, expect, it } from "vitest";
import { threadRow } from "../../../../../test/support/rows.ts";
import { inListOrder, threadSections } from "./thread-sections.ts";

describe("the list of threads", () => {
  it("has those that wait first, the longest wait on top, then pinned ones, then folders by their latest thread; one in a worktree is in its project", () => {
    const threads = [
      threadRow({ id: "a", cwd: "/new" }),
      threadRow({ id: "b", cwd: "/old" }),
      threadRow({ id: "c", cwd: "/elsewhere", git: { branch: "c", worktree: "/elsewhere", project: "/new" } }),
      threadRow({ id: "d", cwd: "/old" }),
      threadRow({ id: "e", cwd: "/older", pinned: true }),
    ];
    const wait = (threadId: string) => ({ threadId, title: threadId, agentId: "x", about: "", count: 1 });
    const sections = threadSections(threads, [wait("d"), wait("not-loaded"), wait("a")]);
    expect(inListOrder(sections).map(({ id }) => id)).toEqual(["d", "a", "e", "b", "c"]);
    expect(sections.folders.map(([folder]) => folder)).toEqual(["/old", "/new"]);
  });
});
