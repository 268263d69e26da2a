// Decisions about paths as people and models write them: links, dots, missing ends, second names.
import { mkdirSync } from "node:fs";
import { expect, it } from "vitest";
import { TemporaryFolder, type Tree } from "../testing/temporary-folder.ts";
import { canRead, canWrite } from "./can-access.ts";
import { createPolicy } from "./create-policy.ts";
import type { AccessMode } from "./policy.ts";

function place(tree: Tree, mode: AccessMode = "sandbox") {
  const folder = new TemporaryFolder({
    "work/file": "",
    "outside/file": "",
    "data/signalbox.db": "secret",
    "data/run/token": "secret",
    "data/workspace/mine": "",
    "home/.ssh/id": "secret",
    ...tree,
  });
  const policy = createPolicy({
    mode,
    network: "off",
    workspaceFolders: [folder.at("work")],
    dataFolder: folder.at("data"),
    homeFolder: folder.at("home"),
    tempFolder: folder.at("temp"),
    platform: "linux",
  });
  return {
    folder,
    writes: (name: string) => canWrite(policy, folder.path + name).allowed,
    reads: (name: string) => canRead(policy, folder.path + name).allowed,
    policy,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

it("a relative path is refused, whatever the current folder is", () => {
  using here = place({});
  expect(canWrite(here.policy, "work/file")).toMatchObject({ allowed: false, rule: "path" });
  expect(canRead(here.policy, "file")).toMatchObject({ allowed: false, message: expect.stringContaining("absolute") });
  expect(canWrite(here.policy, "")).toMatchObject({ allowed: false });
});

it("keys that a variable moves out of the home folder are hidden too, without what only holds them or is the project's", () => {
  using here = place({ "keys/private": "secret", "clusters/one": "secret", "clusters/two": "secret", "work/kube": "" });
  const at = (name: string) => here.folder.at(name);
  const policy = createPolicy({
    mode: "sandbox",
    network: "off",
    workspaceFolders: [at("work")],
    dataFolder: at("data"),
    homeFolder: at("home"),
    tempFolder: at("temp"),
    env: {
      GNUPGHOME: at("keys"),
      KUBECONFIG: `${at("clusters/one")}:${at("work/kube")}:relative:/dev/null:${at("outside/missing")}`,
      DOCKER_CONFIG: here.folder.path,
    },
  });
  const names = ["keys/private", "clusters/one", "clusters/two", "work/kube", "outside/file"];
  expect(names.filter((name) => !canRead(policy, at(name)).allowed)).toEqual(["keys/private", "clusters/one"]);
  expect(policy.rules.map(({ path }) => path)).not.toContain(at("outside/missing"));
});

it("a zero byte is refused", () => {
  using here = place({});
  expect(here.writes("/work/a\0b")).toBe(false);
});

it("dots are followed as the kernel follows them", () => {
  using here = place({ "work/deep/link": { link: "../../outside" } });
  expect(here.writes("/work/../work/./file")).toBe(true);
  expect(here.writes("/work/../outside/file")).toBe(false);
  expect(here.writes("/work//deep/..//file/")).toBe(true);
  // The parent of a link's target is not the parent of the link.
  expect(here.writes("/work/deep/link/../x")).toBe(false);
});

it("links are followed, also dangling ones, chains and those that lead back in", () => {
  using here = place({
    "work/to-file": { link: "../outside/file" },
    "work/to-folder": { link: "../outside" },
    "work/dangling": { link: "../outside/missing" },
    "work/chain": { link: "to-folder" },
    "outside/back": { link: "../work" },
    "work/loop": { link: "loop" },
  });
  for (const name of ["/to-file", "/to-folder/new", "/dangling", "/dangling/deeper", "/chain/new", "/loop"]) {
    expect(here.writes(`/work${name}`), name).toBe(false);
  }
  expect(here.writes("/outside/back/new")).toBe(true);
});

it("what does not exist yet is decided by the nearest folder that does", () => {
  using here = place({ "work/link": { link: "../outside" } });
  expect(here.writes("/work/new/deep/file")).toBe(true);
  expect(here.writes("/work/link/new/deep/file")).toBe(false);
  expect(here.writes("/work/new/../../outside/file")).toBe(false);
  expect(here.writes("/work/file/below-a-file")).toBe(true); // and fails when it is opened
});

it("/proc/self/root and /proc/self/cwd are no way around", () => {
  using here = place({});
  expect(canWrite(here.policy, `/proc/self/root${here.folder.at("outside/file")}`).allowed).toBe(false);
  expect(canWrite(here.policy, `/proc/self/root${here.folder.at("work/file")}`).allowed).toBe(true);
  expect(canRead(here.policy, `/proc/self/root${here.folder.at("data/signalbox.db")}`).allowed).toBe(false);
});

it("a second name of a secret is the secret", () => {
  using here = place({
    "work/innocent": { hardLink: "data/signalbox.db" },
    "work/deeper": { hardLink: "data/run/token" },
    "work/key": { hardLink: "home/.ssh/id" },
    "work/one": "",
    "work/two": { hardLink: "work/one" },
    "work/three": { hardLink: "data/workspace/mine" },
  });
  for (const name of ["/work/innocent", "/work/deeper", "/work/key"]) {
    expect(here.reads(name), name).toBe(false);
    expect(here.writes(name), name).toBe(false);
  }
  expect(here.writes("/work/two")).toBe(true);
  expect(here.reads("/work/three")).toBe(true);
});

it("a folder that cannot be looked into is closed", () => {
  using here = place({ "work/loop/a": { link: "b" }, "work/loop/b": { link: "a" } });
  expect(canRead(here.policy, here.folder.at("work/loop/a/x"))).toMatchObject({ allowed: false, rule: "path" });
});

it("a protected file that is a link protects the link and its target", () => {
  using here = place({ "outside/bashrc": "", "home/.bashrc": { link: "../outside/bashrc" } }, "rwx");
  expect(here.writes("/home/.bashrc")).toBe(false);
  expect(here.writes("/outside/bashrc")).toBe(false);
  expect(here.writes("/outside/other")).toBe(true);
});

it("a thread in a worktree writes there, and sees neither other worktrees nor the rest of the data folder", () => {
  using folder = new TemporaryFolder({
    "data/worktrees/p/mine/a": "",
    "data/worktrees/p/other/a": "",
    "data/token": "",
  });
  const policy = createPolicy({
    mode: "sandbox",
    network: "off",
    workspaceFolders: [folder.at("data/worktrees/p/mine")],
    dataFolder: folder.at("data"),
    homeFolder: folder.at("home"),
    tempFolder: folder.at("temp"),
  });
  expect(canWrite(policy, folder.at("data/worktrees/p/mine/a"))).toMatchObject({ allowed: true });
  for (const hidden of ["data/worktrees/p/other/a", "data/worktrees", "data/token"])
    expect(canRead(policy, folder.at(hidden)), hidden).toMatchObject({ allowed: false });
});

it("a workspace reached through a link is the folder behind it", () => {
  using folder = new TemporaryFolder({ "real/file": "", alias: { link: "real" } });
  mkdirSync(folder.at("data"));
  const policy = createPolicy({
    mode: "sandbox",
    network: "off",
    workspaceFolders: [folder.at("alias")],
    dataFolder: folder.at("data"),
    homeFolder: folder.at("home"),
    tempFolder: folder.at("temp"),
  });
  expect(canWrite(policy, folder.at("alias/file"))).toMatchObject({ allowed: true, path: folder.at("real/file") });
});
