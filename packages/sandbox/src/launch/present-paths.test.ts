// Checks that what appears and disappears is noticed by the very next look, however fast.
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
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

it("gives what needs only its folder as soon as that is there, also if it is a link that leads nowhere", () => {
  using folder = new TemporaryFolder({ "work/.hg": null });
  symlinkSync(folder.at("nowhere"), folder.at("work/.sl"));
  const paths = [".hg/hgrc", ".sl/config", ".jj/config", ".envrc"].map((name) => ({ path: folder.at("work", name) }));
  const find = presentPaths(paths, ({ path }) => path.includes("/."));
  const present = () => find().map(({ path }) => path.slice(folder.at("work").length + 1));
  expect(present()).toEqual([".envrc", ".hg/hgrc", ".sl/config"]);
  mkdirSync(folder.at("work/.jj"));
  expect(present()).toEqual([".envrc", ".hg/hgrc", ".sl/config", ".jj/config"]);
});

it("does not take a name in other letters for the same where letters count", () => {
  using folder = new TemporaryFolder({ "home/.NETRC": "", "home/.Config/gh": null });
  const names = [".netrc", ".config/gh"];
  expect(presentPaths(names.map((name) => ({ path: folder.at("home", name) })))()).toEqual([]);
});
