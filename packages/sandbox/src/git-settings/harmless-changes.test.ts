import { expect, it } from "vitest";
import { dangerousSettings } from "../escape-attempts/dangerous-settings.ts";
import { dangersOf } from "./harmless-changes.ts";

const usual = `[core]
	repositoryformatversion = 0
	bare = false
[remote "origin"]
	url = git@example.com:me/project.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
	remote = origin
	merge = refs/heads/main
`;
const hidden = "the settings were written in a form that git itself does not write";

it.each([
  ['[branch "x"]\n\tremote = origin\n\tmerge = refs/heads/x\n'],
  ['[remote "fork"]\n\turl = https://example.com/you/project.git\n\tfetch = +refs/heads/*:refs/remotes/fork/*\n'],
  ['[remote "fork"]\n\turl = git@example.com:you/project.git\n'],
  ["[pull]\n\trebase = true\n[push]\n\tautoSetupRemote = true\n"],
  ["# a remark\n\n"],
])("lets %j be added", (added) => {
  expect(dangersOf(usual, usual + added)).toEqual([]);
});

it.each([
  ['[user]\n\tname = Jo "the one"\n\temail = jo@example.com\n', "user.name"],
  ["[core]\n\tautocrlf = input\n", "core.autocrlf"],
  ["[rebase]\n\tautoSquash = true\n", "rebase.autosquash"],
])("lets only a person add %j", (added, name) => {
  expect(dangersOf(usual, usual + added, { isDoubtful: true })).toEqual([]);
  expect(dangersOf(usual, usual + added)).toContain(name);
});

it("lets a branch be renamed and removed", () => {
  expect(dangersOf(usual, usual.replace('"main"', '"trunk"'))).toEqual([]);
  expect(dangersOf(usual, usual.slice(0, usual.indexOf("[branch")))).toEqual([]);
});

it.each([
  ["[core]\n\thooksPath = /tmp/x\n", "core.hookspath"],
  ["[core]\n\tfsmonitor = /tmp/x\n", "core.fsmonitor"],
  ["[core]\n\tsshCommand = x\n", "core.sshcommand"],
  ["[core]\n\tpager = x\n", "core.pager"],
  ["[core]\n\tworktree = /\n", "core.worktree"],
  ["[alias]\n\tstatus = !x\n", "alias.status"],
  ['[filter "x"]\n\tclean = x\n', "filter.x.clean"],
  ['[diff "x"]\n\ttextconv = x\n', "diff.x.textconv"],
  ['[merge "x"]\n\tdriver = x\n', "merge.x.driver"],
  ["[include]\n\tpath = ../x\n", "include.path"],
  ['[includeIf "gitdir:/"]\n\tpath = ../x\n', "includeif.gitdir:/.path"],
  ["[credential]\n\thelper = !x\n", "credential.helper"],
  ['[url "ext::sh -c x"]\n\tinsteadOf = https://\n', "url.ext::sh -c x.insteadof"],
  ['[protocol "ext"]\n\tallow = always\n', "protocol.ext.allow"],
  ["[gpg]\n\tprogram = x\n", "gpg.program"],
  ['[gpg "ssh"]\n\tprogram = x\n', "gpg.ssh.program"],
  ['[submodule "x"]\n\tupdate = !x\n', "submodule.x.update"],
  ["[uploadpack]\n\tpackObjectsHook = x\n", "uploadpack.packobjectshook"],
  ["[extensions]\n\tworktreeConfig = true\n", "extensions.worktreeconfig"],
  ["[user]\n\tname = Another Person\n", "user.name"],
  ["[remote]\n\tpushDefault = fork\n", "remote.pushdefault"],
  ['[remote "fork"]\n\tuploadpack = x\n', "remote.fork.uploadpack"],
  ['[remote "fork"]\n\treceivepack = x\n', "remote.fork.receivepack"],
  ['[remote "fork"]\n\tvcs = ext\n', "remote.fork.vcs"],
  ['[remote "fork"]\n\tproxy = x\n', "remote.fork.proxy"],
  ['[remote "fork"]\n\turl = ext::sh -c x\n', "remote.fork.url"],
  ['[remote "fork"]\n\turl = /tmp/repository\n', "remote.fork.url"],
  ['[remote "fork"]\n\turl = file:///tmp/repository\n', "remote.fork.url"],
  ['[remote "fork"]\n\turl = ssh://-oProxyCommand=x/y\n', "remote.fork.url"],
  ['[remote "fork"]\n\turl = x@-oProxyCommand=x:y\n', "remote.fork.url"],
  ['[remote "fork"]\n\turl = https://user:secret@example.com/x\n', "remote.fork.url"],
  ['[remote "fork"]\n\tfetch = +refs/heads/*:refs/heads/*\n', "remote.fork.fetch"],
  ['[remote "origin"]\n\turl = https://elsewhere.example/x.git\n', "remote.origin.url"],
  ['[branch "main"]\n\tremote = ext::sh\n', "branch.main.remote"],
  ['[branch "main"]\n\tremote = ../evil\n', "branch.main.remote"],
  ['[branch "main"]\n\tremote = folder\n', "branch.main.remote"],
  ['[remote "folder"]\n\ttagOpt = --tags\n[branch "main"]\n\tremote = folder\n', "branch.main.remote"],
  ['[branch "main"]\n\tremote = "origin"\n', "branch.main.remote"],
  ['[branch "main"]\n\tdescription = x\n', "branch.main.description"],
  // What git reads and we do not is refused whole.
  ["[core] hooksPath = /tmp/x\n", hidden],
  ['[branch "x"]\n\tremote = origin\\\n[core]\n\thooksPath = x\n', hidden],
  ['[branch "a\\"b"]\n\tremote = origin\n', hidden],
  ["[branch.x]\n\tremote = origin\n", hidden],
  ["[pull]\r\n\trebase = true\n", hidden],
  ["[pull]\n\trebase = true # x \\\n", hidden],
  ['[pull "]\n\trebase = true\n', hidden],
  ["[ pull]\n\trebase = true\n", hidden],
])("refuses %j", (added, danger) => {
  expect(dangersOf(usual, usual + added)).toContain(danger);
});

// The escape attempts try all of them in one command, where one that is refused takes the others with it.
it.each(dangerousSettings)("refuses %s alone, also where a person may have written it", (name) => {
  const [section = "", ...others] = name.split(".");
  const key = others.pop() ?? "";
  const head = others.length === 0 ? `[${section}]` : `[${section} "${others.join(".")}"]`;
  const danger = [section.toLowerCase(), ...others, key.toLowerCase()].join(".");
  for (const isDoubtful of [false, true])
    expect(dangersOf(usual, `${usual}${head}\n\t${key} = true\n`, { isDoubtful })).toEqual([danger]);
});

it("refuses to remove or to reorder what a person set", () => {
  expect(dangersOf(`${usual}[transfer]\n\tfsckObjects = true\n`, usual)).toEqual(["transfer.fsckobjects"]);
  expect(dangersOf(usual, usual.replace("bare = false", "bare = true"))).toEqual(["core.bare"]);
  expect(dangersOf(usual, "")).toContain("remote.origin.url");
  const both = ["[a]\n\tx = 1\n", "[b]\n\tx = 1\n"];
  expect(dangersOf(both.join(""), both.toReversed().join(""))).toEqual(["the order of settings"]);
});

it("changes nothing that it cannot read", () => {
  const unread = "[core] bare = false\n";
  expect(dangersOf(unread, `${unread}[pull]\n\trebase = true\n`)).toEqual([
    "the settings are written in a form that is not read here",
  ]);
});
