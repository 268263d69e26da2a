import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { exampleJpeg, examplePdf, exampleScan } from "../../../agent-kit/src/documents/example-pdf.ts";
import { readTool } from "./read.ts";
import { type TestFolder, testFolder, tryTool } from "./testing/try-tool.ts";

// A busy machine takes its time for megabytes.
vi.setConfig({ testTimeout: 30_000 });

const read = (folder: TestFolder, input: object) => tryTool(readTool, folder.workspace, input);

describe("read", () => {
  it("returns the text as it is, by relative, absolute and file:// path", async () => {
    await using folder = testFolder();
    const path = folder.put("src/a.ts", "one\ntwo\n");
    for (const name of ["src/a.ts", path, `file://${path}`]) {
      expect(await read(folder, { path: name })).toMatchObject({ content: [{ type: "text", text: "one\ntwo\n" }] });
    }
  });

  it("returns a range of lines and says where to go on", async () => {
    await using folder = testFolder();
    folder.put("a.txt", "1\n2\n3\n4\n5");
    expect((await read(folder, { path: "a.txt", line: 2, limit: 2 })).content).toEqual([
      { type: "text", text: "2\n3\n" },
      { type: "text", text: "[lines 2–3 of 5; continue with line: 4]" },
    ]);
    expect((await read(folder, { path: "a.txt", line: 4 })).text).toBe("4\n5");
  });

  it("says how many lines there are when asked for one beyond", async () => {
    await using folder = testFolder();
    folder.put("a.txt", "1\n2\n");
    expect(await read(folder, { path: "a.txt", line: 9 })).toMatchObject({
      text: "a.txt has no line 9: it has 2.",
      isError: true,
    });
  });

  it("titles itself by path and lines", () => {
    const { title, locations } = readTool.describe({ path: "/p/src/a.ts", line: 51, limit: 100 }, "/p");
    expect(title).toBe("Read `src/a.ts` (51 - 150)");
    expect(locations).toEqual([{ path: "/p/src/a.ts", line: 51 }]);
  });

  it("shows an image as an image", async () => {
    await using folder = testFolder();
    const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(20, 7)]);
    folder.put("a.png", png);
    expect((await read(folder, { path: "a.png" })).content).toEqual([
      { type: "image", data: png.toString("base64"), mimeType: "image/png" },
    ]);
  });

  it("says what a binary is instead of sending it", async () => {
    await using folder = testFolder();
    folder.put("a.zip", Buffer.from("PK\x03\x04\0\0\0"));
    expect(await read(folder, { path: "a.zip" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("a ZIP archive"),
    });
  });

  it("reads the text of a PDF, by lines too", async () => {
    await using folder = testFolder();
    folder.put("a.pdf", examplePdf("Invoice 42", "Thank you"));
    expect((await read(folder, { path: "a.pdf" })).text).toBe(
      "[Page 1 of 2]\nInvoice 42\n\n[Page 2 of 2]\nThank you\n",
    );
    expect((await read(folder, { path: "a.pdf", line: 5 })).text).toBe("Thank you\n");
  });

  it("shows the pages of a PDF that are asked for", async () => {
    await using folder = testFolder();
    folder.put("scan.pdf", exampleScan(...Array.from({ length: 11 }, () => exampleJpeg)));
    expect(await read(folder, { path: "scan.pdf", pages: 1 })).toMatchObject({
      text: '[Here is page 1 of 11. For others, read it with pages: "2-11".]\n<pdf>',
      content: [{}, { type: "pdf", name: "scan.pdf", pages: { first: 1, last: 1 } }],
    });
  });

  it("reads bytes that are not UTF-8 without failing", async () => {
    await using folder = testFolder();
    folder.put("latin.txt", Buffer.from("caf\xe9\n", "latin1"));
    expect((await read(folder, { path: "latin.txt" })).text).toBe("caf\uFFFD\n");
  });

  it("reads UTF-16 and hides the byte order mark", async () => {
    await using folder = testFolder();
    folder.put("wide.txt", Buffer.from("\uFEFFhé\r\n", "utf16le"));
    expect((await read(folder, { path: "wide.txt" })).text).toBe("hé\r\n");
  });

  it("reads a range out of a file that does not fit into memory limits", async () => {
    await using folder = testFolder();
    folder.put("big.txt", Array.from({ length: 600_000 }, (_, index) => `line number ${index + 1}\n`).join(""));
    const result = await read(folder, { path: "big.txt", line: 500_000, limit: 2 });
    expect(result.content[0]).toEqual({ type: "text", text: "line number 500000\nline number 500001\n" });
  });

  it("ends a long file with one mark: the lines that it gave, of how many, and where to go on", async () => {
    await using folder = testFolder();
    const lines = Array.from({ length: 2000 }, (_, index) => `L${index + 1} ${"x".repeat(35)}\n`);
    folder.put("big.txt", lines.join(""));
    const { text, content } = await read(folder, { path: "big.txt" });
    const last = Number(/\[lines 1–(\d+) of 2000; continue with line: \d+\]$/.exec(text)?.[1]);
    expect(content[0]).toEqual({ type: "text", text: lines.slice(0, last).join("") });
    expect(text.length).toBeLessThanOrEqual(50_000);
    expect(text.length + 40).toBeGreaterThan(49_900);
    expect((await read(folder, { path: "big.txt", line: last + 1 })).text).toContain(lines.slice(last).join(""));
  });

  it("cuts a line of more than 2,000 characters, and gives the lines after it", async () => {
    await using folder = testFolder();
    folder.put("wide.txt", `${"x".repeat(49_990)}\nsecond\n`);
    expect((await read(folder, { path: "wide.txt" })).text).toBe(
      `${"x".repeat(2000)}… [47990 more characters: get them with bash]\nsecond\n`,
    );
  });

  it("reads no more of an endless line than the model can get", async () => {
    await using folder = testFolder();
    folder.put("line.txt", "x".repeat(30_000_000));
    expect((await read(folder, { path: "line.txt" })).text).toBe(
      `${"x".repeat(2000)}… [29998000 more characters: get them with bash]`,
    );
  });

  it("names similar files when there is none", async () => {
    await using folder = testFolder();
    folder.put("src/index.ts", "");
    expect(await read(folder, { path: "src/index.js" })).toMatchObject({
      isError: true,
      text: "src/index.js does not exist. Did you mean src/index.ts?",
    });
    expect((await read(folder, { path: "none/x" })).text).toContain("nor does its folder");
    symlinkSync("nowhere.ts", folder.path("src/link.ts"));
    expect((await read(folder, { path: "src/link.ts" })).text).toBe(
      "src/link.ts is a link, and what it leads to does not exist.",
    );
  });

  it("points to list_directory for a folder, and refuses devices and pipes", async () => {
    await using folder = testFolder();
    mkdirSync(folder.path("src"));
    expect((await read(folder, { path: "src" })).text).toContain("list_directory");
    expect(await read(folder, { path: "/dev/zero" })).toMatchObject({ isError: true });
  });

  it("reads files that do not say their size", async () => {
    await using folder = testFolder();
    expect((await read(folder, { path: "/proc/version" })).text).toMatch(/^Linux/);
    expect((await read(folder, { path: "/proc/zoneinfo" })).text.length).toBeGreaterThan(4096);
  });

  it("says that an empty file is empty", async () => {
    await using folder = testFolder();
    folder.put("empty", "");
    expect((await read(folder, { path: "empty" })).text).toBe("empty is empty.");
  });

  it("does not read our own data, not through a link either", async () => {
    await using folder = testFolder();
    writeFileSync(join(folder.home, "token"), "secret");
    symlinkSync(join(folder.home, "token"), folder.path("innocent.txt"));
    for (const path of [join(folder.home, "token"), "innocent.txt"]) {
      const result = await read(folder, { path });
      expect(result).toMatchObject({ isError: true, text: expect.stringContaining("holds Signalbox's own data") });
    }
  });

  it("survives a link that leads to itself and a path that is too long", async () => {
    await using folder = testFolder();
    symlinkSync("loop", folder.path("loop"));
    expect(await read(folder, { path: "loop" })).toMatchObject({ isError: true });
    expect(await read(folder, { path: "x".repeat(5000) })).toMatchObject({ isError: true });
    expect(await read(folder, { path: "a\0b" })).toMatchObject({ isError: true });
  });
});

describe("read with a client that serves files", () => {
  const clientFiles = { readTextFile: async (path: string) => `unsaved ${path.split("/").at(-1)}` };

  it("returns what the editor has, not what is on disk", async () => {
    await using folder = testFolder({ clientFiles });
    folder.put("a.ts", "saved");
    expect((await read(folder, { path: "a.ts" })).text).toBe("unsaved a.ts");
  });

  it("reads a new file that was never saved, and says when the editor has none either", async () => {
    await using folder = testFolder({ clientFiles });
    expect((await read(folder, { path: "new.ts" })).text).toBe("unsaved new.ts");
    await using other = testFolder({ clientFiles: { readTextFile: () => Promise.reject(new Error("not found")) } });
    expect(await read(other, { path: "new.ts" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("does not exist"),
    });
  });

  it("asks the disk for files outside of the session's folders", async () => {
    await using folder = testFolder({ clientFiles });
    writeFileSync(join(folder.outside, "b.ts"), "on disk");
    expect((await read(folder, { path: join(folder.outside, "b.ts") })).text).toBe("on disk");
  });

  it("keeps to the policy all the same", async () => {
    await using folder = testFolder({ clientFiles });
    symlinkSync(join(folder.home, "token"), folder.path("innocent.txt"));
    expect(await read(folder, { path: "innocent.txt" })).toMatchObject({ isError: true });
  });

  it("says what the editor says when it refuses", async () => {
    const refusing = { readTextFile: () => Promise.reject(new Error("private file")) };
    await using folder = testFolder({ clientFiles: refusing });
    folder.put("a.ts", "saved");
    expect(await read(folder, { path: "a.ts" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("private file"),
    });
  });
});
