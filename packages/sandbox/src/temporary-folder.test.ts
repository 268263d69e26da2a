import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeTemporaryFolder, removeTemporaryFolder } from "./temporary-folder.ts";

function parentFolder(): string {
  const parent = mkdtempSync(join(tmpdir(), "signalbox-folders-"));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  return parent;
}

it("removes what killed processes left behind, and nothing else", () => {
  const parent = parentFolder();
  const longAgo = new Date(Date.now() - 60_000);
  for (const name of ["mine-old", "mine-new", "other-old"]) {
    mkdirSync(join(parent, name));
    if (name.endsWith("old")) utimesSync(join(parent, name), longAgo, longAgo);
  }
  const folder = makeTemporaryFolder(parent, "mine-", 30_000);
  expect(readdirSync(parent).filter((name) => join(parent, name) !== folder)).toEqual(["mine-new", "other-old"]);
  removeTemporaryFolder(folder);
  expect(existsSync(folder)).toBe(false);
});

it("removes its folders when the process ends", () => {
  const parent = parentFolder();
  const module = join(import.meta.dirname, "temporary-folder.ts");
  const script = `import { makeTemporaryFolder } from "${module}"; console.log(makeTemporaryFolder(process.argv[1], "mine-", 1000)); process.exit();`;
  const printed = execFileSync(process.execPath, ["--no-warnings", "--input-type=module", "-e", script, parent]);
  expect(printed.toString()).toContain("mine-");
  expect(readdirSync(parent)).toEqual([]);
});
