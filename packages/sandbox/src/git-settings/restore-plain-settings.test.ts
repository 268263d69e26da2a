import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { expect, it } from "vitest";
import { TemporaryFolder, type Tree } from "../testing/temporary-folder.ts";
import { restoreGitSettings, restorePlainSettings } from "./restore-plain-settings.ts";

const readme =
  'These are the settings of this repository. .git/config is a link to the file "config" here, so that …\n';
/** As an older version left it. */
const linked: Tree = {
  ".git/config": { link: "signalbox/config" },
  ".git/signalbox/config": "[core]\n\tbare = false\n",
  ".git/signalbox/README": readme,
};

it("makes the link of an older version a plain file again, with the same bytes and mode, and removes its folder", () => {
  using folder = new TemporaryFolder(linked);
  const bytes = Buffer.from("[user]\n\tname = J\xf6rg\n# the end", "latin1");
  writeFileSync(folder.at(".git/signalbox/config"), bytes);
  chmodSync(folder.at(".git/signalbox/config"), 0o664);
  expect(restorePlainSettings(folder.at(".git/config"))).toBe(true);
  expect(lstatSync(folder.at(".git/config")).mode).toBe(0o100664);
  expect(readFileSync(folder.at(".git/config")).equals(bytes)).toBe(true);
  expect(readdirSync(folder.at(".git"))).toEqual(["config"]);
  expect(restorePlainSettings(folder.at(".git/config"))).toBe(false);
});

it("removes the folder where another program has put a plain file in the link's place", () => {
  using folder = new TemporaryFolder({ ...linked, ".git/config": "newer" });
  expect(restorePlainSettings(folder.at(".git/config"))).toBe(false);
  expect(readFileSync(folder.at(".git/config"), "utf8")).toBe("newer");
  expect(readdirSync(folder.at(".git"))).toEqual(["config"]);
});

it.each<[string, Tree]>([
  ["a link to another file", { ".git/config": { link: "../elsewhere" }, ".git/signalbox/config": "text" }],
  ["a link through another name", { ".git/config": { link: "./signalbox/config" }, ".git/signalbox/config": "text" }],
  [
    "a file that is a link itself",
    { ".git/config": { link: "signalbox/config" }, ".git/signalbox/config": { link: "../../elsewhere" } },
  ],
  [
    "a folder that is a link",
    { ".git/config": { link: "signalbox/config" }, ".git/signalbox": { link: "../other" }, "other/config": "evil" },
  ],
  ["a folder in the file's place", { ".git/config": { link: "signalbox/config" }, ".git/signalbox/config/x": "" }],
  ["settings that git has locked", { ...linked, ".git/signalbox/config.lock": "" }],
])("leaves %s as it is", (_, tree) => {
  using folder = new TemporaryFolder({ elsewhere: "elsewhere", ...tree });
  const link = readlinkSync(folder.at(".git/config"));
  expect(restorePlainSettings(folder.at(".git/config"))).toBe(false);
  expect(readlinkSync(folder.at(".git/config"))).toBe(link);
  expect(readFileSync(folder.at("elsewhere"), "utf8")).toBe("elsewhere");
});

it("leaves a file that has a second name, which a command may write, and a folder that is not ours", () => {
  using folder = new TemporaryFolder(linked);
  linkSync(folder.at(".git/signalbox/config"), folder.at("second"));
  expect(restorePlainSettings(folder.at(".git/config"))).toBe(false);
  using other = new TemporaryFolder({
    ".git/config": "mine",
    ".git/signalbox/README": "mine",
    ".git/signalbox/config": "",
  });
  expect(restorePlainSettings(other.at(".git/config"))).toBe(false);
  expect(existsSync(other.at(".git/signalbox/config"))).toBe(true);
});

it("finds nothing to restore in a work tree whose repository is gone", () => {
  using folder = new TemporaryFolder({ ".git": "gitdir: /no/such/repository/.git/worktrees/tree\n" });
  expect(restoreGitSettings(folder.at("."))).toEqual([]);
});
