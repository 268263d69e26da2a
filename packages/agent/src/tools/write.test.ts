// What `write` and `edit` promise and refuse, on real files and through a client that serves files.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { editTool } from "./edit/edit.ts";
import { readTool } from "./read.ts";
import { type TestFolder, testFolder, tryTool } from "./testing/try-tool.ts";
import { writeTool } from "./write.ts";

const write = (folder: TestFolder, path: string, content: string) =>
  tryTool(writeTool, folder.workspace, { path, content });
const read = (folder: TestFolder, path: string) => tryTool(readTool, folder.workspace, { path });
const textOf = (folder: TestFolder, name: string) => readFileSync(folder.path(name), "utf8");

describe("write", () => {
  it("creates a file and its folders, and shows the diff", async () => {
    await using folder = testFolder();
    const result = await write(folder, "a/b/c.txt", "one\ntwo\n");
    expect(textOf(folder, "a/b/c.txt")).toBe("one\ntwo\n");
    expect(result).toMatchObject({
      text: "Created a/b/c.txt (2 lines).",
      display: [{ type: "diff", path: folder.path("a/b/c.txt"), oldText: null, newText: "one\ntwo\n" }],
    });
  });

  it("replaces a file that was read, keeping its mode", async () => {
    await using folder = testFolder();
    folder.put("run.sh", "old");
    chmodSync(folder.path("run.sh"), 0o755);
    await read(folder, "run.sh");
    expect(await write(folder, "run.sh", "new")).not.toHaveProperty("isError");
    expect(textOf(folder, "run.sh")).toBe("new");
    expect(statSync(folder.path("run.sh")).mode & 0o777).toBe(0o755);
    expect(readdirSync(folder.cwd)).toEqual(["run.sh"]);
  });

  it("does not replace a file that was never read", async () => {
    await using folder = testFolder();
    folder.put("a.txt", "precious");
    expect(await write(folder, "a.txt", "new")).toMatchObject({
      isError: true,
      text: expect.stringContaining("have not read it"),
    });
    expect(textOf(folder, "a.txt")).toBe("precious");
  });

  it("does not replace a file of which only a part was read, until all of it was", async () => {
    await using folder = testFolder();
    folder.put("a.txt", "1\n2\n3\n");
    await tryTool(readTool, folder.workspace, { path: "a.txt", limit: 1 });
    expect((await write(folder, "a.txt", "new\n")).text).toContain("you have read only a part of it");
    await tryTool(readTool, folder.workspace, { path: "a.txt", line: 3 });
    expect((await write(folder, "a.txt", "new\n")).text).toContain("you have read only a part of it");
    await tryTool(readTool, folder.workspace, { path: "a.txt", line: 2 });
    expect((await write(folder, "a.txt", "new\n")).text).toBe("Replaced a.txt (1 line).");
  });

  it("does not replace a file that changed since it was read", async () => {
    await using folder = testFolder();
    folder.put("a.txt", "first");
    await read(folder, "a.txt");
    folder.put("a.txt", "by the person");
    expect(await write(folder, "a.txt", "new")).toMatchObject({
      isError: true,
      text: expect.stringContaining("changed since"),
    });
    expect(textOf(folder, "a.txt")).toBe("by the person");
  });

  it("is not stopped by a new date alone, and may write again what it wrote", async () => {
    await using folder = testFolder();
    folder.put("a.txt", "same");
    await read(folder, "a.txt");
    folder.put("a.txt", "same");
    expect(await write(folder, "a.txt", "new")).not.toHaveProperty("isError");
    expect(await write(folder, "a.txt", "newer")).not.toHaveProperty("isError");
    expect(textOf(folder, "a.txt")).toBe("newer");
  });

  it("keeps the encoding and the byte order mark", async () => {
    await using folder = testFolder();
    folder.put("wide.txt", Buffer.from("\uFEFFold", "utf16le"));
    await read(folder, "wide.txt");
    await write(folder, "wide.txt", "né");
    expect(readFileSync(folder.path("wide.txt"))).toEqual(Buffer.from("\uFEFFné", "utf16le"));
  });

  it("shows in the preview what it would do, and does nothing", async () => {
    await using folder = testFolder();
    const preview = await writeTool.preview?.(
      { path: "a.txt", content: "x" },
      { workspace: folder.workspace, signal: AbortSignal.timeout(5000) },
    );
    expect(preview).toMatchObject({ content: [{ type: "diff", oldText: null, newText: "x" }] });
    expect(existsSync(folder.path("a.txt"))).toBe(false);
  });

  it("refuses in the preview already, so that no useless question is asked", async () => {
    await using folder = testFolder();
    folder.put("a.txt", "precious");
    const preview = await writeTool.preview?.(
      { path: "a.txt", content: "x" },
      { workspace: folder.workspace, signal: AbortSignal.timeout(5000) },
    );
    expect(preview).toMatchObject({ refusal: { isError: true } });
    const outside = await writeTool.preview?.(
      { path: "/etc/signalbox-test", content: "x" },
      { workspace: folder.workspace, signal: AbortSignal.timeout(5000) },
    );
    expect(outside).toMatchObject({ refusal: { isError: true } });
  });

  it("does not leave the workspace: not by path, by dots, by a linked folder, by a link to a file", async () => {
    await using folder = testFolder();
    symlinkSync(folder.outside, folder.path("linked"));
    symlinkSync(join(folder.outside, "new.txt"), folder.path("link.txt"));
    for (const path of [
      join(folder.outside, "a.txt"),
      "../outside/a.txt",
      "linked/a.txt",
      "link.txt",
      "linked/deep/a.txt",
    ]) {
      expect(await write(folder, path, "x"), path).toMatchObject({
        isError: true,
        text: expect.stringContaining("not allowed"),
      });
    }
    expect(readdirSync(folder.outside)).toEqual([]);
  });

  it("does not plant what runs later: git hooks, our own settings", async () => {
    await using folder = testFolder();
    for (const path of [".git/hooks/pre-commit", ".git/config", ".signalbox/config.json", ".mcp.json"]) {
      expect(await write(folder, path, "x"), path).toMatchObject({ isError: true });
    }
  });

  it("writes nothing when the workspace is read-only", async () => {
    await using folder = testFolder({ access: () => ({ mode: "rx", network: false, writable: [] }) });
    expect(await write(folder, "a.txt", "x")).toMatchObject({
      isError: true,
      text: expect.stringContaining("read-only"),
    });
  });

  it("follows the session's mode as it changes", async () => {
    let mode: "rx" | "sandbox" = "rx";
    await using folder = testFolder({ access: () => ({ mode, network: false, writable: [] }) });
    expect(await write(folder, "a.txt", "x")).toMatchObject({ isError: true });
    mode = "sandbox";
    expect(await write(folder, "a.txt", "x")).not.toHaveProperty("isError");
  });

  it("makes no file of a name that says folder", async () => {
    await using folder = testFolder();
    expect(await write(folder, "docs/", "x")).toMatchObject({
      isError: true,
      text: expect.stringContaining("is a folder"),
    });
    expect(existsSync(folder.path("docs"))).toBe(false);
  });

  it("does not write over folders and binaries", async () => {
    await using folder = testFolder();
    mkdirSync(folder.path("src"));
    folder.put("a.bin", Buffer.from([1, 0, 2]));
    expect(await write(folder, "src", "x")).toMatchObject({ isError: true });
    expect(await write(folder, "a.bin", "x")).toMatchObject({ isError: true });
    expect(await write(folder, "a.bin/x", "x")).toMatchObject({ isError: true });
  });
});

describe("edit", () => {
  const edit = (folder: TestFolder, input: object) => tryTool(editTool, folder.workspace, input);

  it("changes one place, shows the diff and the line", async () => {
    await using folder = testFolder();
    folder.put("a.ts", "let a = 1;\nlet b = 2;\n");
    const result = await edit(folder, { path: "a.ts", old_string: "b = 2", new_string: "b = 3" });
    expect(textOf(folder, "a.ts")).toBe("let a = 1;\nlet b = 3;\n");
    expect(result).toMatchObject({
      text: "Edited a.ts.",
      display: [{ type: "diff", oldText: "let a = 1;\nlet b = 2;\n", newText: "let a = 1;\nlet b = 3;\n" }],
      locations: [{ path: folder.path("a.ts"), line: 2 }],
    });
  });

  it("makes several changes in one call, in order, all or none", async () => {
    await using folder = testFolder();
    folder.put("a.ts", "let a = 1;\nlet b = 2;\n");
    const edits = [
      { old_string: "a = 1", new_string: "a = b" },
      { old_string: "a = b", new_string: "a = 2" },
      { old_string: "\tlet b = 2;", new_string: "\tlet c = 3;" },
    ];
    const result = await edit(folder, { path: "a.ts", edits });
    expect(result).toMatchObject({
      text: "Edited a.ts, 3 places. The file differed from old_string in indentation; it was changed there.",
    });
    expect(textOf(folder, "a.ts")).toBe("let a = 2;\nlet c = 3;\n");
    const missing = [
      { old_string: "a = 2", new_string: "a = 9" },
      { old_string: "nowhere at all", new_string: "" },
    ];
    expect(await edit(folder, { path: "a.ts", edits: missing })).toMatchObject({
      text: expect.stringContaining("a.ts was not changed: Edit 2 of 2: old_string was not found."),
    });
    expect(textOf(folder, "a.ts")).toBe("let a = 2;\nlet c = 3;\n");
  });

  it("keeps CRLF, byte order mark and bytes that are no text", async () => {
    await using folder = testFolder();
    const before = Buffer.concat([Buffer.from("\uFEFFa\r\nb\r\n"), Buffer.from([0xff, 0xfe, 0x0a])]);
    folder.put("a.txt", before);
    await edit(folder, { path: "a.txt", old_string: "a\nb", new_string: "a\nx\nb" });
    expect(readFileSync(folder.path("a.txt"))).toEqual(
      Buffer.concat([Buffer.from("\uFEFFa\r\nx\r\nb\r\n"), Buffer.from([0xff, 0xfe, 0x0a])]),
    );
  });

  it("writes through a link inside the workspace and leaves the link a link", async () => {
    await using folder = testFolder();
    folder.put("real.txt", "old");
    symlinkSync("real.txt", folder.path("link.txt"));
    await edit(folder, { path: "link.txt", old_string: "old", new_string: "new" });
    expect(textOf(folder, "real.txt")).toBe("new");
    expect(
      readdirSync(folder.cwd, { withFileTypes: true })
        .find(({ name }) => name === "link.txt")
        ?.isSymbolicLink(),
    ).toBe(true);
  });

  it("says so when the file had changed since it was read", async () => {
    await using folder = testFolder();
    folder.put("a.txt", "one two");
    await read(folder, "a.txt");
    folder.put("a.txt", "one two three");
    expect((await edit(folder, { path: "a.txt", old_string: "one", new_string: "1" })).text).toContain(
      "has changed since you read it",
    );
  });

  it("does not make a file known that was never read", async () => {
    await using folder = testFolder();
    folder.put("a.txt", "one two");
    await edit(folder, { path: "a.txt", old_string: "one", new_string: "1" });
    expect(await write(folder, "a.txt", "all new")).toMatchObject({ isError: true });
  });

  it("changes nothing when the text is missing or not unique", async () => {
    await using folder = testFolder();
    folder.put("a.txt", "x\nx\n");
    expect(await edit(folder, { path: "a.txt", old_string: "y", new_string: "z" })).toMatchObject({ isError: true });
    expect(await edit(folder, { path: "a.txt", old_string: "x", new_string: "z" })).toMatchObject({ isError: true });
    expect(textOf(folder, "a.txt")).toBe("x\nx\n");
    expect((await edit(folder, { path: "a.txt", old_string: "x", new_string: "z", replace_all: true })).text).toContain(
      "2 places",
    );
  });

  it("shows only the changed part of a big file", async () => {
    await using folder = testFolder();
    const lines = Array.from({ length: 20_000 }, (_, index) => `line number ${index + 1}`);
    folder.put("big.txt", lines.join("\n"));
    const { display } = await edit(folder, {
      path: "big.txt",
      old_string: "line number 10000\n",
      new_string: "changed\n",
    });
    const [diff] = display ?? [];
    expect(diff?.type === "diff" && diff.newText.length).toBeLessThan(2000);
    expect(diff).toMatchObject({ newText: expect.stringContaining("line number 9999\nchanged\nline number 10001") });
  });

  it("does not leave the workspace", async () => {
    await using folder = testFolder();
    writeFileSync(join(folder.outside, "a.txt"), "old");
    symlinkSync(join(folder.outside, "a.txt"), folder.path("link.txt"));
    expect(await edit(folder, { path: "link.txt", old_string: "old", new_string: "new" })).toMatchObject({
      isError: true,
    });
    expect(readFileSync(join(folder.outside, "a.txt"), "utf8")).toBe("old");
  });
});

describe("write and edit with a client that serves files", () => {
  it("go through the editor, on its text", async () => {
    const buffers = new Map<string, string>();
    await using folder = testFolder({
      clientFiles: {
        readTextFile: async (path) => buffers.get(path) ?? "",
        writeTextFile: async (path, text) => void buffers.set(path, text),
      },
    });
    const path = folder.put("a.ts", "saved");
    buffers.set(path, "unsaved text");
    await tryTool(editTool, folder.workspace, { path: "a.ts", old_string: "unsaved", new_string: "edited" });
    expect(buffers.get(path)).toBe("edited text");
    expect(textOf(folder, "a.ts")).toBe("saved");
    await write(folder, "new/b.ts", "created");
    expect(buffers.get(folder.path("new/b.ts"))).toBe("created");
  });

  it("do not write over a new file that the person has not saved yet", async () => {
    const buffers = new Map<string, string>();
    await using folder = testFolder({
      clientFiles: {
        readTextFile: async (path) => buffers.get(path) ?? Promise.reject(new Error("not found")),
        writeTextFile: async (path, text) => void buffers.set(path, text),
      },
    });
    buffers.set(folder.path("new.ts"), "typed by the person");
    expect(await write(folder, "new.ts", "x")).toMatchObject({
      isError: true,
      text: expect.stringContaining("have not read it"),
    });
    await tryTool(editTool, folder.workspace, { path: "new.ts", old_string: "typed", new_string: "edited" });
    expect(buffers.get(folder.path("new.ts"))).toBe("edited by the person");
  });

  it("notice that the person typed since the file was read", async () => {
    let buffer = "first";
    await using folder = testFolder({
      clientFiles: { readTextFile: async () => buffer, writeTextFile: async (_path, text) => void (buffer = text) },
    });
    folder.put("a.ts", "on disk");
    await read(folder, "a.ts");
    buffer = "typed by the person";
    expect(await write(folder, "a.ts", "new")).toMatchObject({
      isError: true,
      text: expect.stringContaining("changed since"),
    });
    expect(buffer).toBe("typed by the person");
  });

  it("know what they wrote, also where the client serves only one of the two ways", async () => {
    for (const clientFiles of [
      (folder: () => string) => ({
        readTextFile: async (path: string) => readFileSync(join(folder(), path.split("/").at(-1) ?? ""), "utf8"),
      }),
      () => ({ writeTextFile: async (path: string, text: string) => writeFileSync(path, text) }),
    ]) {
      let cwd = "";
      await using folder = testFolder({ clientFiles: clientFiles(() => cwd) });
      ({ cwd } = folder);
      folder.put("a.txt", "one");
      await read(folder, "a.txt");
      expect(await write(folder, "a.txt", "two")).not.toHaveProperty("isError");
      expect(await write(folder, "a.txt", "three")).not.toHaveProperty("isError");
      expect(textOf(folder, "a.txt")).toBe("three");
    }
  });

  it("lose no byte of a file that is not UTF-8, which a client can neither give nor take", async () => {
    await using folder = testFolder({
      clientFiles: {
        readTextFile: async (path) => readFileSync(path, "utf8"),
        writeTextFile: async (path, text) => writeFileSync(path, text),
      },
    });
    const edited = async (name: string, bytes: Buffer) => {
      folder.put(name, bytes);
      const done = await tryTool(editTool, folder.workspace, { path: name, old_string: "one", new_string: "two" });
      expect(done).not.toHaveProperty("isError");
      return readFileSync(folder.path(name));
    };
    expect(await edited("latin.txt", Buffer.from("caf\xe9 one\n", "latin1"))).toEqual(
      Buffer.from("caf\xe9 two\n", "latin1"),
    );
    const wide = (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le");
    expect(await edited("wide.txt", wide("one é"))).toEqual(wide("two é"));
    expect(await edited("mark.txt", Buffer.from("\uFEFFone é"))).toEqual(Buffer.from("\uFEFFtwo é"));
    folder.put("binary", Buffer.from("one\0two"));
    const refused = tryTool(editTool, folder.workspace, { path: "binary", old_string: "one", new_string: "two" });
    await expect(refused).resolves.toMatchObject({ isError: true, text: expect.stringContaining("binary") });
  });

  it("write nothing that the policy forbids", async () => {
    const written: string[] = [];
    await using folder = testFolder({ clientFiles: { writeTextFile: async (path) => void written.push(path) } });
    symlinkSync(folder.outside, folder.path("linked"));
    expect(await write(folder, "linked/a.txt", "x")).toMatchObject({ isError: true });
    expect(written).toEqual([]);
  });
});
