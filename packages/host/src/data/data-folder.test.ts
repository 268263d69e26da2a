// The data folder holds keys: at a start, other users lose the rights that they have in it.
import { chmodSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findExposedPaths, tightenDataFolder } from "./data-folder.ts";

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

function makeDataFolder(folderMode: number, configMode: number) {
  const path = join(mkdtempSync(join(tmpdir(), "data-folder-")), "data");
  const config = join(path, "config.json");
  mkdirSync(path);
  writeFileSync(config, "{}");
  chmodSync(config, configMode);
  chmodSync(path, folderMode);
  return { path, config };
}

describe("a data folder that was there", () => {
  it("is closed to other users with its config.json, and each change is reported", () => {
    const { path, config } = makeDataFolder(0o755, 0o644);
    expect(findExposedPaths(path)).toEqual([path, config]);
    const problems: string[] = [];
    tightenDataFolder(path, (problem) => problems.push(problem));
    expect([modeOf(path), modeOf(config)]).toEqual(["700", "600"]);
    expect(problems).toEqual([
      `Other users of this machine could read ${path}. Now only you can.`,
      `Other users of this machine could read ${config}. Now only you can.`,
    ]);
    expect(findExposedPaths(path)).toEqual([]);
  });

  it("stays as it is, without a word, where only its owner can use it", () => {
    const { path, config } = makeDataFolder(0o700, 0o400);
    const problems: string[] = [];
    tightenDataFolder(path, (problem) => problems.push(problem));
    expect([modeOf(path), modeOf(config), problems]).toEqual(["700", "400", []]);
  });

  it("may be missing", () => {
    expect(findExposedPaths("/nowhere/data")).toEqual([]);
  });
});
