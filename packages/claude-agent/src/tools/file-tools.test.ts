// Read, Write and Edit, through a client that has the files.
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { exampleJpeg, examplePdf, exampleScan } from "../../../agent-kit/src/documents/example-pdf.ts";
import { editTool } from "./edit.ts";
import { ToolFiles } from "./files.ts";
import { readTool } from "./read.ts";
import { SeenFiles } from "./seen-files.ts";
import { TestCall, TestClient } from "./test-client.ts";
import type { ClientTool } from "./tool.ts";
import { writeTool } from "./write.ts";

let client: TestClient;
let tools: Record<"read" | "write" | "edit", ClientTool>;

beforeEach(() => {
  client = new TestClient();
  const files = new ToolFiles(client, "/work", { HOME: "/home/none" });
  const seen = new SeenFiles();
  tools = { read: readTool(files, seen), write: writeTool(files, seen), edit: editTool(files, seen) };
});

const read = async (input: object, call = new TestCall()) => await tools.read.run(input, call);
const write = async (input: object, call = new TestCall()) => await tools.write.run(input, call);
const edit = async (input: object, call = new TestCall()) => await tools.edit.run(input, call);

describe("Read", () => {
  it("gives numbered lines to the model and the plain text to the person", async () => {
    client.files.set("/work/a", "one\ntwo\n");
    const call = new TestCall();
    expect(await read({ file_path: "/work/a" }, call)).toBe("1\tone\n2\ttwo\n");
    expect(call.shown.content).toEqual([{ type: "content", content: { type: "text", text: "one\ntwo\n" } }]);
  });

  it("gives a range, and says what was left out after it", async () => {
    client.files.set("/work/a", "1\n2\n3\n4\n5\n");
    expect(await read({ file_path: "a", offset: 2, limit: 2 })).toBe(
      "2\t2\n3\t3\n\n[What comes after line 3 was left out. Read on with offset 4.]",
    );
    expect(await read({ file_path: "a", offset: 4, limit: 2 })).toBe("4\t4\n5\t5\n");
  });

  it("gives 2,000 lines and not one more, wherever it begins", async () => {
    client.files.set("/work/a", "x\n".repeat(5000));
    expect(await read({ file_path: "a", limit: 4000 })).toMatch(
      /2000\tx\n\n\[What comes after line 2000 .*offset 2001\.\]$/,
    );
    expect(await read({ file_path: "a", offset: 3001 })).toMatch(/5000\tx\n$/);
  });

  it("says it when a file is empty, too short, has an endless line, or is not there", async () => {
    client.files.set("/work/empty", "");
    client.files.set("/work/long", `${"y".repeat(60_000)}\nrest\n`);
    expect(await read({ file_path: "empty" })).toBe("[The file is empty.]");
    expect(await read({ file_path: "empty", offset: 7 })).toBe("[The file ends before line 7.]");
    expect(await read({ file_path: "long" })).toContain("[Line 1 has 60001 characters");
    await expect(read({ file_path: "none" })).rejects.toThrow("There is no file /work/none.");
  });
});

describe("Read of images and PDFs", () => {
  const png = Buffer.from("\x89PNG\r\n\x1a\nrest", "latin1");
  const image = { type: "image", data: png.toString("base64"), mimeType: "image/png" };

  it("goes through a client that gives bytes", async () => {
    const given: Record<string, Buffer> = {
      "/work/a.png": png,
      "/work/b.pdf": examplePdf("one", "two"),
      "/work/scan.pdf": exampleScan(...Array.from({ length: 11 }, () => exampleJpeg)),
    };
    const readBytes = async (path: string) =>
      given[path] ?? Promise.reject(Object.assign(new Error(), { code: -32_002 }));
    const files = new ToolFiles({ readTextFile: client.readTextFile, readBytes }, "/work", { HOME: "/home/none" });
    const tool = readTool(files, new SeenFiles());
    const call = new TestCall();
    expect(await tool.run({ file_path: "a.png" }, call)).toEqual([image]);
    expect(call.shown.content).toEqual([{ type: "content", content: image }]);
    expect(await tool.run({ file_path: "b.pdf", offset: 5 }, call)).toBe("5\ttwo\n");
    const page = { type: "image", mimeType: "image/jpeg", data: expect.stringMatching(/^\/9j\//) };
    const why = expect.stringMatching(/no text.* Here are pages 1 to 10 of 11\. For others, .* pages: "11"/);
    const shown = [
      { type: "text", text: why },
      ...Array.from({ length: 10 }, (_, index) => [{ type: "text", text: `[Page ${index + 1}]` }, page]).flat(),
    ];
    expect(await tool.run({ file_path: "scan.pdf" }, call)).toEqual(shown);
    expect(call.shown.content).toEqual(shown.map((content) => ({ type: "content", content })));
    await expect(tool.run({ file_path: "scan.pdf", pages: "0" }, call)).rejects.toThrow('"0" names no pages.');
    await expect(tool.run({ file_path: "none.png" }, call)).rejects.toThrow("There is no file /work/none.png.");
  });

  it("reads the disk where the client has only text, and believes the bytes, not the name", async () => {
    const folder = mkdtempSync(join(tmpdir(), "signalbox-claude-"));
    writeFileSync(join(folder, "a.png"), png);
    client.files.set(join(folder, "text.png"), "only text\n");
    writeFileSync(join(folder, "text.png"), "only text\n");
    expect(await read({ file_path: join(folder, "a.png") })).toEqual([image]);
    expect(await read({ file_path: join(folder, "text.png") })).toBe("1\tonly text\n");
    rmSync(folder, { recursive: true });
  });
});

describe("Write", () => {
  it("creates a file and shows it as new", async () => {
    const call = new TestCall();
    expect(await write({ file_path: "/work/a", content: "x\n" }, call)).toBe("/work/a was created.");
    expect(client.files.get("/work/a")).toBe("x\n");
    expect(call.shown.content).toEqual([{ type: "diff", path: "/work/a", oldText: null, newText: "x\n" }]);
  });

  it("does not replace what was not read, or what changed since", async () => {
    client.files.set("/work/a", "one\n");
    await expect(write({ file_path: "/work/a", content: "x" })).rejects.toThrow("was not read");
    await read({ file_path: "/work/a" });
    client.files.set("/work/a", "one, by the person\n");
    await expect(write({ file_path: "/work/a", content: "x" })).rejects.toThrow("has changed since it was read");
    expect(client.files.get("/work/a")).toBe("one, by the person\n");
    await read({ file_path: "/work/a" });
    await write({ file_path: "/work/a", content: "x" });
    await write({ file_path: "/work/a", content: "y" });
    expect(client.files.get("/work/a")).toBe("y");
  });

  it("needs no look at a file that is empty: some clients have an empty one for everything that is not there", async () => {
    client.files.set("/work/new", "");
    await write({ file_path: "/work/new", content: "x" });
    expect(client.files.get("/work/new")).toBe("x");
  });

  it("keeps CRLF", async () => {
    client.files.set("/work/a", "one\r\n");
    await read({ file_path: "/work/a" });
    await write({ file_path: "/work/a", content: "1\n2\n" });
    expect(client.files.get("/work/a")).toBe("1\r\n2\r\n");
  });
});

describe("the plans that Claude writes for itself", () => {
  it("are its own: they are written to the disk, and nothing else beside them is", async () => {
    const home = mkdtempSync(join(tmpdir(), "signalbox-claude-"));
    const files = new ToolFiles(client, "/work", { HOME: home });
    const tool = writeTool(files, new SeenFiles());
    const plan = join(home, ".claude/plans/quiet-river.md");
    await tool.run({ file_path: plan, content: "# Plan" }, new TestCall());
    expect(readFileSync(plan, "utf8")).toBe("# Plan");
    const other = join(home, ".claude/plans/../settings.json");
    await tool.run({ file_path: other, content: "{}" }, new TestCall());
    expect([...client.files.keys()]).toEqual([join(home, ".claude/settings.json")]);
    const link = join(home, ".claude/plans/link.md");
    symlinkSync(join(home, "elsewhere"), link);
    await expect(tool.run({ file_path: link, content: "x" }, new TestCall())).rejects.toThrow("was not written");
    rmSync(home, { recursive: true });
  });
});

describe("Edit", () => {
  it("shows the whole change and the lines that changed", async () => {
    client.files.set("/work/a", "one\ntwo\nthree\ntwo\n");
    const call = new TestCall();
    await edit({ file_path: "/work/a", old_string: "two", new_string: "2", replace_all: true }, call);
    const after = "one\n2\nthree\n2\n";
    expect(client.files.get("/work/a")).toBe(after);
    expect(call.shown).toEqual({
      content: [{ type: "diff", path: "/work/a", oldText: "one\ntwo\nthree\ntwo\n", newText: after }],
      locations: [
        { path: "/work/a", line: 2 },
        { path: "/work/a", line: 4 },
      ],
    });
  });

  it("is refused when the file changed since it was read, and works after reading again", async () => {
    client.files.set("/work/a", "one\ntwo\n");
    await read({ file_path: "/work/a" });
    client.files.set("/work/a", "one\ntwo\nthree\n");
    const change = { file_path: "/work/a", old_string: "one", new_string: "1" };
    await expect(edit(change)).rejects.toThrow("has changed since it was read");
    await read({ file_path: "/work/a" });
    await edit(change);
    await edit({ file_path: "/work/a", old_string: "three", new_string: "3" });
    expect(client.files.get("/work/a")).toBe("1\ntwo\n3\n");
  });

  it("loses no byte of a file that is not UTF-8, which the client cannot give as it is", async () => {
    const folder = mkdtempSync(join(tmpdir(), "signalbox-claude-"));
    const [latin, plain] = [join(folder, "latin"), join(folder, "plain")];
    writeFileSync(latin, Buffer.from("caf\xe9 one\n", "latin1"));
    writeFileSync(plain, "a \uFFFD of its own, one\n");
    for (const path of [latin, plain]) client.files.set(path, readFileSync(path, "utf8"));
    const change = { old_string: "one", new_string: "two" };
    await expect(edit({ file_path: latin, ...change })).rejects.toThrow("is not UTF-8");
    expect(client.files.get(latin)).toBe("caf\uFFFD one\n");
    await edit({ file_path: plain, ...change });
    expect(client.files.get(plain)).toBe("a \uFFFD of its own, two\n");
    rmSync(folder, { recursive: true });
  });

  it("creates a file from nothing, but replaces none so", async () => {
    await edit({ file_path: "/work/new", old_string: "", new_string: "x" });
    expect(client.files.get("/work/new")).toBe("x");
    await expect(edit({ file_path: "/work/new", old_string: "", new_string: "y" })).rejects.toThrow("exists");
    await expect(edit({ file_path: "/work/none", old_string: "a", new_string: "b" })).rejects.toThrow(
      "There is no file",
    );
  });
});
