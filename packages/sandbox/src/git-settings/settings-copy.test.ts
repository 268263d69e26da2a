// Copies of settings that killed processes left behind go with the next one; those that may be in use stay.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { SettingsCopy } from "./settings-copy.ts";

it("removes copies that are older than two days, and nothing else", () => {
  const temp = mkdtempSync(join(tmpdir(), "signalbox-copies-"));
  onTestFinished(() => rmSync(temp, { recursive: true, force: true }));
  const threeDaysAgo = new Date(Date.now() - 3 * 24 * 60 * 60 * 1000);
  for (const name of ["signalbox-git-old", "signalbox-git-new", "other-old"]) {
    mkdirSync(join(temp, name));
    writeFileSync(join(temp, name, "config"), "");
    if (name.endsWith("old")) utimesSync(join(temp, name), threeDaysAgo, threeDaysAgo);
  }
  writeFileSync(join(temp, "config"), "[core]\n");
  const copy = SettingsCopy.make(join(temp, "config"), temp);
  expect(copy).toBeDefined();
  copy?.close();
  const left = readdirSync(temp).filter((name) => name !== "config");
  expect(left.filter((name) => !copy?.target.includes(name))).toEqual(["other-old", "signalbox-git-new"]);
});
