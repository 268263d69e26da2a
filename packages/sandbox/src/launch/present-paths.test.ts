// Checks that what appears and disappears is noticed by the very next look, however fast.
import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { TemporaryFolder } from "../testing/temporary-folder.ts";
import { presentPaths } from "./present-paths.ts";

it("tells which paths exist now, also just after a change", () => {
  using folder = new TemporaryFolder({ "home/.config/gh": null, "home/.netrc": "" });
  const at = (name: string) => ({ path: folder.at("home", name) });
  const paths = [at(".netrc"), at(".pgpass"), at(".config/gh"), at(".config/op"), at(".missing/deep/file")];
  const find = presentPaths(paths);
  const present = () => find().map(({ path }) => path.slice(folder.at("home").length + 1));
  expect(present()).toEqual([".netrc", ".config/gh"]);
  for (let i = 0; i < 200; i++) {
    writeFileSync(folder.at("home/.pgpass"), "");
    mkdirSync(folder.at("home/.missing/deep/file"), { recursive: true });
    expect(present()).toEqual([".netrc", ".pgpass", ".config/gh", ".missing/deep/file"]);
    rmSync(folder.at("home/.pgpass"));
    rmSync(folder.at("home/.missing"), { recursive: true });
    expect(present()).toEqual([".netrc", ".config/gh"]);
  }
});

it("is not misled by a folder whose time of change was set back", () => {
  using folder = new TemporaryFolder({ home: null });
  const paths = [{ path: folder.at("home/.netrc") }];
  const find = presentPaths(paths);
  const setBack = () => utimesSync(folder.at("home"), 1, 1);
  setBack();
  expect(find()).toEqual([]);
  writeFileSync(folder.at("home/.netrc"), "");
  setBack();
  expect(find()).toEqual(paths);
});
