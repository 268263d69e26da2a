import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { fileBlock } from "./file-block.ts";

const folder = mkdtempSync(join(tmpdir(), "signalbox-file-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string) => join(folder, name);

it("a picture goes as it is, anything else as a link", async () => {
  writeFileSync(at("a.PNG"), "x");
  writeFileSync(at("notes"), "text");
  expect(await fileBlock(at("a.PNG"))).toMatchObject({ type: "image", data: "eA==", mimeType: "image/png" });
  expect(await fileBlock(at("notes"))).toMatchObject({ type: "resource_link", name: "notes", size: 4 });
  expect(await fileBlock(folder)).toMatchObject({ type: "resource_link" });
});

it("what has no end, is too big or is not there is refused, whatever it is called", async () => {
  execFileSync("mkfifo", [at("pipe.png"), at("pipe")]);
  symlinkSync("/dev/zero", at("zero.png"));
  writeFileSync(at("big.png"), "");
  truncateSync(at("big.png"), 33 * 1024 * 1024);
  for (const name of ["pipe.png", "pipe", "zero.png"]) await expect(fileBlock(at(name))).rejects.toThrow("plain file");
  await expect(fileBlock(at("big.png"))).rejects.toThrow("at most 32 MB");
  await expect(fileBlock(at("missing"))).rejects.toThrow("cannot be sent: ENOENT");
});
