import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testFolder, tryTool } from "../testing/try-tool.ts";
import { applyPatchTool } from "./apply-patch.ts";

const patch = (...lines: readonly string[]) => ({ input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });

it("changes, adds, deletes and moves, shows the real change before and after, and names every path", async () => {
  await using folder = testFolder();
  for (const name of ["a.ts", "old.ts", "here.ts"]) folder.put(name, `one\n${name}\n`);
  const call = patch(
    "*** Update File: a.ts",
    "@@",
    "-one",
    "+ONE",
    "*** Add File: sub/new.ts",
    "+new",
    "*** Delete File: old.ts",
    "*** Update File: here.ts",
    "*** Move to: there.ts",
    "@@",
    "-one",
    "+1",
  );
  const paths = ["a.ts", "sub/new.ts", "old.ts", "here.ts", "there.ts"].map((name) => folder.path(name));
  const { title, locations = [] } = applyPatchTool.describe(call, folder.cwd);
  expect(title).toBe("Edit `a.ts`, Add `sub/new.ts`, Delete `old.ts` and 1 more");
  expect(locations.map(({ path }) => path)).toEqual(paths);
  const { signal } = new AbortController();
  const preview = await applyPatchTool.preview?.(call, { workspace: folder.workspace, signal });
  const diffs = [
    { path: folder.path("a.ts"), oldText: "one\na.ts\n", newText: "ONE\na.ts\n" },
    { path: folder.path("sub/new.ts"), oldText: null, newText: "new\n" },
    { path: folder.path("old.ts"), oldText: "one\nold.ts\n", newText: "" },
    { path: folder.path("there.ts"), oldText: null, newText: "1\nhere.ts\n" },
    { path: folder.path("here.ts"), oldText: "one\nhere.ts\n", newText: "" },
  ];
  expect(preview).toMatchObject({ content: diffs });

  const result = await tryTool(applyPatchTool, folder.workspace, call);
  expect(result).toMatchObject({ display: diffs });
  expect(result.text).toBe(
    "Done: edited a.ts, added sub/new.ts, deleted old.ts, moved here.ts to there.ts, removed here.ts.",
  );
  expect(paths.map((path) => (existsSync(path) ? readFileSync(path, "utf8") : null))).toEqual([
    "ONE\na.ts\n",
    "new\n",
    null,
    null,
    "1\nhere.ts\n",
  ]);
});

it.each([
  [
    ["*** Update File: a.ts", "@@", "-one", "+ONE", "*** Update File: b.ts", "@@", "-missing", "+x"],
    "b.ts: Its lines were not found",
  ],
  [["*** Update File: a.ts", "@@", "-one", "+ONE", "*** Update File: none.ts", "@@", "-x", "+y"], "none.ts"],
  [["*** Update File: a.ts", "@@", "-one", "+ONE", "*** Add File: b.ts", "+x"], "b.ts exists already"],
  [["*** Update File: a.ts", "*** Move to: b.ts", "@@", "-one", "+ONE"], "b.ts exists already"],
  [["*** Update File: a.ts", "@@", "-one", "+ONE", "*** Delete File: ../outside/c.ts"], "outside"],
  [["hello"], "not a patch"],
])("changes nothing when a part does not fit: %j", async (lines, problem) => {
  await using folder = testFolder();
  for (const name of ["a.ts", "b.ts"]) folder.put(name, "one\n");
  writeFileSync(join(folder.outside, "c.ts"), "one\n");
  const { signal } = new AbortController();
  const preview = await applyPatchTool.preview?.(patch(...lines), { workspace: folder.workspace, signal });
  expect(JSON.stringify(preview)).toContain(problem);
  for (const path of [folder.path("a.ts"), folder.path("b.ts"), join(folder.outside, "c.ts")])
    expect(readFileSync(path, "utf8")).toBe("one\n");
});
