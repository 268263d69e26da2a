// What each mode lets a command do for real, also where the workspace lies in an awkward place.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { beforeAll, expect, it } from "vitest";
import type { Enforcement } from "../enforcement/enforcement.ts";
import type { PolicySettings } from "../policy/create-policy.ts";
import { provenEnforcement } from "../testing/proven-enforcement.ts";
import { SandboxedPlace } from "../testing/sandboxed-place.ts";

let enforcement: Enforcement;
beforeAll(async () => {
  enforcement = await provenEnforcement();
}, 60_000);

const text = async (place: SandboxedPlace, command: string, settings: Partial<PolicySettings> = {}) =>
  (await place.run({ enforcement, command }, settings)).output.text;

it("rx: the workspace is read-only, the temp folder and our workspace are not", async () => {
  using place = new SandboxedPlace({ "work/file": "before" });
  const at = (name: string) => place.folder.at(name);
  await text(place, `echo x > file; echo x > new; echo x > ${at("temp/a")}; echo x > ${at("data/workspace/a")}`, {
    mode: "rx",
  });
  expect(readFileSync(at("work/file"), "utf8")).toBe("before");
  expect(readdirSync(at("work"))).toEqual(["file"]);
  expect([existsSync(at("temp/a")), existsSync(at("data/workspace/a"))]).toEqual([true, true]);
});

it("rwx: everything can be written but the protected paths and the home folder", async () => {
  using place = new SandboxedPlace({
    "home/.bashrc": "before",
    "home/.ssh/id": "secret",
    "home/.config/autostart/a": "",
    "home/project/file": "",
    "data/signalbox.db": "secret",
  });
  const { folder } = place;
  const script = `
    echo x > ${folder.at("outside/new")}; echo x > ${folder.at("home/project/new")}; echo x > .git-less
    echo evil >> ${folder.at("home/.bashrc")}; echo evil > ${folder.at("home/.zshenv")}
    mv ${folder.at("home/.config")} ${folder.at("home/moved")}; mv ${folder.at("home")} ${folder.at("moved")}
    echo evil > ${folder.at("home/.config/autostart/b")}; rm -rf ${folder.at("home/.ssh")}
    cat ${folder.at("home/.ssh/id")} ${folder.at("data/signalbox.db")}; echo evil > ${folder.at("data/signalbox.db")}
    echo evil > /etc/signalbox-test && rm /etc/signalbox-test && echo ESCAPED`;
  const output = await text(place, script, { mode: "rwx" });
  expect(output).not.toMatch(/secret|ESCAPED/);
  expect([existsSync(folder.at("outside/new")), existsSync(folder.at("home/project/new"))]).toEqual([true, false]);
  expect(readFileSync(folder.at("home/.bashrc"), "utf8")).toBe("before");
  expect(readdirSync(folder.at("home")).toSorted()).toEqual([".bashrc", ".config", ".ssh", "project"]);
  expect(readdirSync(folder.at("home/.config/autostart"))).toEqual(["a"]);
  expect(readFileSync(folder.at("data/signalbox.db"), "utf8")).toBe("secret");
});

it("a workspace that is the home folder: projects are open, what is protected in it is not", async () => {
  using place = new SandboxedPlace({
    "home/.bashrc": "before",
    "home/.ssh/id": "secret",
    "home/.signalbox/signalbox.db": "secret",
    "home/.signalbox/workspace/file": "",
    "home/project/file": "before",
  });
  const { folder } = place;
  const settings = { workspaceFolders: [folder.at("home")], dataFolder: folder.at("home/.signalbox") };
  const script = `cd ${folder.at("home")}
    echo after > project/file; echo x > .signalbox/workspace/new
    echo evil >> .bashrc; echo evil > .zshenv; echo evil > .ssh/new; mv .ssh taken; mv .signalbox taken
    cat .ssh/id taken/id .signalbox/signalbox.db`;
  const output = await text(place, script, settings);
  expect(output).not.toContain("secret");
  expect(readFileSync(folder.at("home/project/file"), "utf8")).toBe("after\n");
  // A thread in this folder starts its commands there.
  const policy = place.policy(settings);
  const started = await place.run({ enforcement, policy, cwd: folder.at("home"), command: "cat project/file .ssh/id" });
  expect(started.output.text).toMatch(/^after\n/);
  expect(started.output.text).not.toContain("secret");
  expect(existsSync(folder.at("home/.signalbox/workspace/new"))).toBe(true);
  expect(readFileSync(folder.at("home/.bashrc"), "utf8")).toBe("before");
  expect(readdirSync(folder.at("home")).toSorted()).toEqual([".bashrc", ".signalbox", ".ssh", "project"]);
});

it("our data folder inside the temp folder stays hidden, and the temp folder usable", async () => {
  using place = new SandboxedPlace({ "temp/data/signalbox.db": "secret" });
  const temp = place.folder.at("temp");
  const output = await text(
    place,
    `cat ${temp}/data/signalbox.db; echo x > ${temp}/data/new; echo x > ${temp}/new; mv ${temp}/data ${temp}/moved`,
    {
      dataFolder: place.folder.at("temp/data"),
    },
  );
  expect(output).not.toContain("secret");
  expect(existsSync(place.folder.at("temp/data/new"))).toBe(false);
  expect(readFileSync(place.folder.at("temp/data/signalbox.db"), "utf8")).toBe("secret");
});

it("a writable folder that a command replaced by a link is not followed by the next one", async () => {
  using place = new SandboxedPlace({ "work/build": null, "outside/file": "before" });
  const settings = {
    writable: [place.folder.at("work/build")],
    workspaceFolders: [place.folder.at("work")],
    mode: "rx" as const,
  };
  const policy = place.policy(settings);
  renameSync(place.folder.at("work/build"), place.folder.at("work/old")); // as a command in sandbox mode could have done
  symlinkSync(place.folder.at("outside"), place.folder.at("work/build"));
  await place.run({ enforcement, policy, command: "echo x > build/file; echo x > build/new" });
  expect(readFileSync(place.folder.at("outside/file"), "utf8")).toBe("before");
  expect(readdirSync(place.folder.at("outside"))).toEqual(["file"]);
});

it("a linked work tree: the file that says where the repository is cannot be changed", async () => {
  using place = new SandboxedPlace({ "work/.git": "gitdir: /nowhere\n", "work/file": "" });
  if (enforcement.kind !== "landlock" || enforcement.layer !== "namespaces") return; // a documented gap elsewhere
  await text(place, "echo 'gitdir: /evil' > .git; rm -f .git; mv .git x; echo after > file");
  expect(readFileSync(place.folder.at("work/.git"), "utf8")).toBe("gitdir: /nowhere\n");
  expect(readFileSync(place.folder.at("work/file"), "utf8")).toBe("after\n");
});

it("a repository without a hooks folder does not get hooks", async () => {
  using place = new SandboxedPlace({ "work/.git/HEAD": "ref: refs/heads/main\n", "work/.git/config": "" });
  if (enforcement.kind !== "landlock" || enforcement.layer !== "namespaces") return; // a documented gap elsewhere
  await text(place, "mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit");
  expect(existsSync(place.folder.at("work/.git/hooks/pre-commit"))).toBe(false);
});

it("settings of the work tree are guarded like those of the repository; without any, git works", async () => {
  const repository = { "work/.git/HEAD": "ref: refs/heads/main\n", "work/.git/config": "" };
  using place = new SandboxedPlace({ ...repository, "work/.git/config.worktree": "" });
  using without = new SandboxedPlace(repository);
  if (enforcement.kind !== "landlock" || enforcement.layer !== "namespaces") return; // a documented gap elsewhere
  for (const each of [place, without])
    await text(each, "echo evil > .git/config.worktree; echo fine > .git/index.lock");
  expect(readFileSync(place.folder.at("work/.git/config.worktree"), "utf8")).toBe("");
  for (const each of [place, without]) expect(existsSync(each.folder.at("work/.git/index.lock"))).toBe(true);
});

it("other repositories in the workspace are not guarded from commands: a documented limit", async () => {
  const files = ["nested/.git/config", "nested/.git/hooks/x"];
  using place = new SandboxedPlace(Object.fromEntries(files.map((name) => [`work/${name}`, ""])));
  await text(place, `for file in ${files.join(" ")}; do echo x > $file; done`);
  for (const name of files) expect(readFileSync(place.folder.at(`work/${name}`), "utf8")).toBe("x\n");
});

it("a workspace inside another repository does not become one of its own", async () => {
  using place = new SandboxedPlace({ ".git/HEAD": "ref: refs/heads/main\n", "work/file": "" });
  if (enforcement.kind !== "landlock" || enforcement.layer !== "namespaces") return; // a documented gap elsewhere
  for (const make of [
    "mkdir .git",
    "mkdir x; echo evil > x/config; mv x .git",
    "echo 'gitdir: x' > .git",
    "ln -s x .git",
  ]) {
    const { ended } = await place.run({ enforcement, command: `${make}; while :; do sleep 1; done`, timeout: 20_000 });
    expect([make, ended, existsSync(place.folder.at("work/.git"))]).toEqual([make, "signal", false]);
  }
  expect(readdirSync(place.folder.at("work")).toSorted()).toEqual([".git.refused-1", "file"]);
});

it("a repository that a command makes itself is its own content: a documented limit", async () => {
  using place = new SandboxedPlace();
  await text(place, "mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit");
  expect(existsSync(place.folder.at("work/.git/hooks/pre-commit"))).toBe(true);
});

it("a second name that a file had before is written through: a documented limit", async () => {
  using place = new SandboxedPlace({ "outside/file": "before", "work/shared": { hardLink: "outside/file" } });
  await text(place, "echo after > shared");
  expect(readFileSync(place.folder.at("outside/file"), "utf8")).toBe("after\n");
});

it("a file that is made with the set-user-id bit loses it with its first byte: a documented limit", async () => {
  using place = new SandboxedPlace();
  const make = (name: string) => `fs.closeSync(fs.openSync("${name}", "w", 0o4755))`;
  await text(place, `"${process.execPath}" -e '${make("empty")}; ${make("full")}'; echo x >> full`);
  const hasBit = (name: string) => (statSync(place.folder.at(`work/${name}`)).mode & 0o4000) !== 0;
  expect(["empty", "full"].map(hasBit)).toEqual([true, false]);
});

it("the helper itself cannot be replaced where it lies in the workspace", async () => {
  using place = new SandboxedPlace();
  if (enforcement.kind !== "landlock" || enforcement.layer !== "namespaces") return; // a documented gap elsewhere
  const helper = place.folder.at("work/dist/signalbox-sandbox");
  mkdirSync(place.folder.at("work/dist"));
  copyFileSync(enforcement.helper, helper);
  const command =
    "echo evil > dist/signalbox-sandbox; rm -f dist/signalbox-sandbox; mv dist x; echo evil > y; mv y dist/signalbox-sandbox; echo fine > dist/other";
  await place.run({ enforcement: { ...enforcement, helper }, command });
  expect(readFileSync(helper).equals(readFileSync(enforcement.helper))).toBe(true);
  expect(readdirSync(place.folder.at("work/dist")).toSorted()).toEqual(["other", "signalbox-sandbox"]);
});

it("without namespaces the names in a secret folder can be listed, not read: a documented limit", async () => {
  using place = new SandboxedPlace({ "home/.ssh/id_ed25519": "secret" });
  if (enforcement.kind !== "landlock") return;
  const command = `ls ${place.folder.at("home/.ssh")}; cat ${place.folder.at("home/.ssh/id_ed25519")}`;
  const withNamespaces = await place.run({ enforcement, command });
  const without = await place.run({ enforcement: { ...enforcement, layer: "landlock" }, command });
  expect(without.output.text).toMatch(/^id_ed25519\n/);
  expect(without.output.text).not.toContain("secret");
  if (enforcement.layer === "namespaces") expect(withNamespaces.output.text).not.toMatch(/^id_ed25519\n|secret/);
});

it("several workspace folders are all open, and their guards all hold", async () => {
  using place = new SandboxedPlace({ "second/.mcp.json": "{}" });
  mkdirSync(place.folder.at("second/sub"));
  writeFileSync(place.folder.at("work/.mcp.json"), "{}");
  const second = place.folder.at("second");
  await text(place, `echo x > a; echo x > ${second}/sub/b; echo evil > .mcp.json; echo evil > ${second}/.mcp.json`, {
    workspaceFolders: [place.folder.at("work"), second],
  });
  expect([existsSync(place.folder.at("work/a")), existsSync(`${second}/sub/b`)]).toEqual([true, true]);
  if (enforcement.kind !== "landlock" || enforcement.layer !== "namespaces") return; // guards are a documented gap elsewhere
  expect([
    readFileSync(place.folder.at("work/.mcp.json"), "utf8"),
    readFileSync(`${second}/.mcp.json`, "utf8"),
  ]).toEqual(["{}", "{}"]);
});

it("a file outside that can be read can be locked: a documented limit", async () => {
  using place = new SandboxedPlace({ "outside/file": "before" });
  expect(await text(place, `exec 9< ${place.folder.at("outside/file")}; flock -n -x 9 && echo locked`)).toBe(
    "locked\n",
  );
});
