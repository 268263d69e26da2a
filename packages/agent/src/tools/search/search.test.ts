// `grep`, `find_path` and `list_directory` on real folders, ripgrep inside the real sandbox.
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { listDirectoryTool } from "../list-directory.ts";
import { type TestFolder, testFolder, tryTool } from "../testing/try-tool.ts";
import { findPathTool } from "./find-path.ts";
import { grepTool } from "./grep.ts";

// A busy machine takes its time to start processes.
vi.setConfig({ testTimeout: 30_000 });

const grep = (folder: TestFolder, input: object) => tryTool(grepTool, folder.workspace, input);
const find = (folder: TestFolder, input: object) => tryTool(findPathTool, folder.workspace, input);
const list = (folder: TestFolder, input: object) => tryTool(listDirectoryTool, folder.workspace, input);

function sample(folder: TestFolder): void {
  folder.put("src/a.ts", "const alpha = 1;\nconst beta = 2;\n");
  folder.put("src/deep/b.ts", "// Alpha\nfunction alpha() {}\n");
  folder.put("README.md", "alpha {1}\n");
  folder.put(".hidden/c.ts", "alpha\n");
  folder.put(".gitignore", "out/\n*.log\n");
  folder.put("out/a.ts", "alpha\n");
  folder.put("x.log", "alpha\n");
}

describe("grep", () => {
  it("returns path, line and text, also of hidden files, and honours .gitignore", async () => {
    await using folder = testFolder();
    sample(folder);
    const { text } = await grep(folder, { pattern: "alpha" });
    expect(text.split("\n").toSorted()).toEqual([
      ".hidden/c.ts:1:alpha",
      "README.md:1:alpha {1}",
      "src/a.ts:1:const alpha = 1;",
      "src/deep/b.ts:2:function alpha() {}",
    ]);
  });

  it("can be narrowed by path and glob, ignore case, and take text literally", async () => {
    await using folder = testFolder();
    sample(folder);
    expect((await grep(folder, { pattern: "ALPHA", path: "src/deep", ignore_case: true })).text).toBe(
      "src/deep/b.ts:1:// Alpha\nsrc/deep/b.ts:2:function alpha() {}",
    );
    expect((await grep(folder, { pattern: "{1}", literal: true, glob: "*.md" })).text).toBe("README.md:1:alpha {1}");
  });

  it("honours .gitignore also where a glob would fit what it leaves out", async () => {
    await using folder = testFolder();
    sample(folder);
    folder.put("src/made.ts", "alpha\n");
    folder.put("src/.gitignore", "made.ts\n");
    for (const glob of ["*.ts", "**/*.ts", "src/**", "{src,lib}/*.ts", "src/*.{ts,js}"]) {
      const { text } = await grep(folder, { pattern: "alpha", glob });
      expect(text, glob).toContain("src/a.ts:1:const alpha = 1;");
      expect(text, glob).not.toContain("made.ts");
    }
    expect((await grep(folder, { pattern: "alpha", glob: "src/*.ts" })).text).toBe("src/a.ts:1:const alpha = 1;");
    expect(
      (await grep(folder, { pattern: "alpha", glob: "!src", files_only: true })).text.split("\n").toSorted(),
    ).toEqual([".hidden/c.ts", "README.md"]);
    expect(await grep(folder, { pattern: "alpha", glob: "{" })).toMatchObject({ isError: true });
    for (const path of ["src", "./src/", folder.path("src")]) {
      expect((await grep(folder, { pattern: "alpha", path, glob: "deep/*.ts" })).text, path).toContain("deep/b.ts:2:");
    }
  });

  it("gives names alone, lines around, matches across lines, and what is ignored, when asked", async () => {
    await using folder = testFolder();
    sample(folder);
    expect((await grep(folder, { pattern: "beta", files_only: true })).text).toBe("src/a.ts");
    expect((await grep(folder, { pattern: "beta", context: 1 })).text).toBe(
      "src/a.ts-1-const alpha = 1;\nsrc/a.ts:2:const beta = 2;",
    );
    expect((await grep(folder, { pattern: "1;.const", multiline: true, files_only: true })).text).toBe("src/a.ts");
    expect((await grep(folder, { pattern: "alpha", path: "out", include_ignored: true })).text).toBe(
      "out/a.ts:1:alpha",
    );
  });

  it("says when nothing matches, what is wrong with a pattern, and that a path is not there", async () => {
    await using folder = testFolder();
    sample(folder);
    expect((await grep(folder, { pattern: "gamma" })).text).toBe("Nothing matches.");
    expect(await grep(folder, { pattern: "(" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("unclosed group"),
    });
    expect(await grep(folder, { pattern: "x", path: "none" })).toMatchObject({
      isError: true,
      text: "none does not exist.",
    });
  });

  it("takes patterns and paths that look like options for what they are", async () => {
    await using folder = testFolder();
    folder.put("-v", "--files\n");
    expect((await grep(folder, { pattern: "--files", path: "-v" })).text).toBe("-v:1:--files");
  });

  it("is not slowed down by a pattern that would hang other engines", async () => {
    await using folder = testFolder();
    folder.put("a.txt", `${"a".repeat(100_000)}\n`);
    const start = performance.now();
    expect((await grep(folder, { pattern: "^(a+)+$|(a|aa)+b" })).text).toContain("a.txt:1:aaa");
    expect(performance.now() - start).toBeLessThan(30_000);
  });

  it("stops at a limit, and truncates long lines", async () => {
    await using folder = testFolder();
    folder.put("a.txt", "match\n".repeat(100_000));
    folder.put("b.js", `match ${"x".repeat(1_000_000)}`);
    const { text } = await grep(folder, { pattern: "match" });
    expect(text).toContain("[more than 1000 lines: narrow the search]");
    expect((await grep(folder, { pattern: "match", path: "b.js" })).text.length).toBeLessThan(1000);
  });

  it("does not find what may not be read, and does not follow links out", async () => {
    await using folder = testFolder();
    writeFileSync(join(folder.home, "token"), "needle");
    writeFileSync(join(folder.outside, "a.txt"), "needle");
    symlinkSync(folder.outside, folder.path("linked"));
    symlinkSync(folder.home, folder.path("ours"));
    expect((await grep(folder, { pattern: "needle" })).text).toBe("Nothing matches.");
    expect((await grep(folder, { pattern: "needle", path: ".." })).text).toBe("../outside/a.txt:1:needle");
    expect(await grep(folder, { pattern: "needle", path: "ours" })).toMatchObject({ isError: true });
  });

  it("passes over binary files", async () => {
    await using folder = testFolder();
    folder.put("a.bin", Buffer.from("needle\0needle"));
    expect((await grep(folder, { pattern: "needle" })).text).not.toContain("\0");
  });
});

describe("find_path", () => {
  it("matches whole paths, sorted, and honours .gitignore", async () => {
    await using folder = testFolder();
    sample(folder);
    expect((await find(folder, { pattern: "**/*.ts" })).text).toBe(".hidden/c.ts\nsrc/a.ts\nsrc/deep/b.ts");
    expect((await find(folder, { pattern: "src/*.ts" })).text).toBe("src/a.ts");
    expect((await find(folder, { pattern: "b.ts" })).text).toBe("src/deep/b.ts");
    expect((await find(folder, { pattern: "*.log" })).text).toBe("No file matches.");
    expect((await find(folder, { pattern: "*.log", include_ignored: true })).text).toBe("x.log");
  });

  it("searches the folder it is given, and the pattern counts from there", async () => {
    await using folder = testFolder();
    sample(folder);
    expect((await find(folder, { pattern: "deep/*.ts", path: "src" })).text).toBe("src/deep/b.ts");
    expect((await find(folder, { pattern: "deep/*.ts", path: folder.path("src") })).text).toBe(
      folder.path("src/deep/b.ts"),
    );
  });

  it("understands the paths that editors write, and the home folder", async () => {
    await using folder = testFolder();
    sample(folder);
    expect((await find(folder, { pattern: "a.ts", path: `file://${folder.path("src")}` })).text).toBe(
      folder.path("src/a.ts"),
    );
    expect((await grep(folder, { pattern: "beta", path: `file://${folder.path("src")}` })).text).toBe(
      `${folder.path("src/a.ts")}:2:const beta = 2;`,
    );
  });

  it("says what is wrong with a pattern or a folder", async () => {
    await using folder = testFolder();
    folder.put("file", "");
    expect(await find(folder, { pattern: "{a" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("A { has no }"),
    });
    expect(await find(folder, { pattern: "*", path: "none" })).toMatchObject({ isError: true });
    expect(await find(folder, { pattern: "*", path: "file" })).toMatchObject({ isError: true });
  });

  it("stops at a bound and says how many more there are", async () => {
    await using folder = testFolder();
    for (let index = 0; index < 510; index++) folder.put(`f${index}.txt`, "");
    expect((await find(folder, { pattern: "*.txt" })).text).toContain("[10 more: narrow the pattern]");
  });
});

describe("list_directory", () => {
  it("lists folders first, then files with their sizes, hidden ones and links included", async () => {
    await using folder = testFolder();
    folder.put("b.txt", "12345");
    folder.put(".hidden", "");
    folder.put("z/x", "");
    symlinkSync("b.txt", folder.path("link"));
    expect((await list(folder, {})).text).toBe("z/\n.hidden (0)\nb.txt (5)\nlink (link)");
    expect((await list(folder, { path: "z" })).text).toBe("x (0)");
  });

  it("says when a folder is empty, missing or a file", async () => {
    await using folder = testFolder();
    expect((await list(folder, {})).text).toBe("The folder is empty.");
    folder.put("a", "");
    expect(await list(folder, { path: "none" })).toMatchObject({ isError: true });
    expect(await list(folder, { path: "a" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("Use read"),
    });
  });

  it("does not list our own data", async () => {
    await using folder = testFolder();
    expect(await list(folder, { path: folder.home })).toMatchObject({ isError: true });
  });

  it("stops at a bound, and a name cannot fake a line", async () => {
    await using folder = testFolder();
    folder.put("two\nlines", "");
    expect((await list(folder, {})).text).toBe('"two\\nlines" (0)');
    for (let index = 0; index < 1005; index++) folder.put(`many/f${index}`, "");
    expect((await list(folder, { path: "many" })).text).toContain("[5 more entries");
  });

  it("titles itself by the folder", () => {
    expect(listDirectoryTool.describe({ path: "/p/src" }, "/p").title).toBe("List `src`");
    expect(findPathTool.describe({ pattern: "*.ts" }, "/p").title).toBe("Find `*.ts`");
    expect(grepTool.describe({ pattern: "x" }, "/p").title).toBe('grep "x"');
  });
});

describe("a search", () => {
  it("leaves out files that a rule keeps from the model, with a note, whether or not it was told to look there", async () => {
    const hidden: string[] = [];
    await using folder = testFolder({
      closedPaths: async () => hidden.map((path) => ({ path, access: "hidden", name: "user-rule" })),
    });
    folder.put("a.txt", "KEY=0\n");
    hidden.push(folder.put(".env", "KEY=1\n"), join(folder.put("secrets/one", "KEY=2\n"), ".."));
    const note = "[A rule of the user leaves out: .env, secrets]";
    expect((await grep(folder, { pattern: "KEY" })).text).toBe(`a.txt:1:KEY=0\n${note}`);
    expect((await grep(folder, { pattern: "KEY", glob: ".env*" })).text).toBe(`Nothing matches.\n${note}`);
    expect((await grep(folder, { pattern: "KEY", path: "secrets" })).text).not.toContain("KEY=2");
    expect((await grep(folder, { pattern: "KEY", files_only: true })).text).toBe(`a.txt\n${note}`);
    expect((await find(folder, { pattern: "*" })).text).toBe(`a.txt\n${note}`);
  });
});
