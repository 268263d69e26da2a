import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testFolder } from "../testing/try-tool.ts";

const { signal } = new AbortController();

describe("the files of a session", () => {
  it("are not written over what came between the look and the write", async () => {
    await using folder = testFolder();
    const { files } = folder.workspace;
    folder.put("a.txt", "first");
    const before = await files.text("a.txt", signal);
    folder.put("a.txt", "by the person, while being asked");
    await expect(files.write("a.txt", "new", before, signal)).rejects.toThrow("was changed by somebody else just now");
    folder.put("b.txt", "made by the person meanwhile");
    await expect(files.write("b.txt", "new", null, signal)).rejects.toThrow("was created by somebody else meanwhile");
    expect(readFileSync(folder.path("b.txt"), "utf8")).toBe("made by the person meanwhile");
  });

  it("include the additional directories of the session, for the client too", async () => {
    const written: string[] = [];
    const base = testFolder();
    const also = base.outside;
    await using folder = testFolder({
      additionalDirectories: [also],
      clientFiles: { writeTextFile: async (path) => void written.push(path) },
    });
    await folder.workspace.files.write(join(also, "a.txt"), "x", null, signal);
    expect(written).toEqual([join(also, "a.txt")]);
    await base[Symbol.asyncDispose]();
  });

  it("mean the home folder by ~ and refuse the URL of another machine", async () => {
    await using folder = testFolder();
    const { files } = folder.workspace;
    expect(files.absolute("~/x")).toBe(join(process.env.HOME ?? "", "x"));
    expect(() => files.absolute("file://elsewhere/etc/passwd")).toThrow("not the URL of a file on this machine");
  });

  it("that are too big are not loaded whole", async () => {
    await using folder = testFolder();
    writeFileSync(folder.path("big"), Buffer.alloc(10_000_001, "x"));
    await expect(folder.workspace.files.text("big", signal)).rejects.toThrow("bigger than 10 MB");
  });
});
