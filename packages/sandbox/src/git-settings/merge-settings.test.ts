import fc from "fast-check";
import { expect, it } from "vitest";
import { dangerousSettings } from "../escape-attempts/dangerous-settings.ts";
import { readConfig, setValues } from "./config-text.ts";
import { findDangers, mergeSettings } from "./merge-settings.ts";

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
  ["[user]\n\tname = J\xf6rg\n\temail = jo@example.com\n"],
  ["[core]\n\tautocrlf = input\n[rebase]\n\tautoSquash = true\n"],
  ['[branch "fix-#12"]\n\tvscode-merge-base = origin/main\n\tgithub-pr-owner-number = "me#project#12"\n'],
  ['[submodule "part"]\n\turl = /srv/part.git\n\tactive = true\n'],
])("lets %j be added", (added) => {
  expect(findDangers(usual, usual + added)).toEqual([]);
});

it("lets a branch be renamed and removed", () => {
  expect(findDangers(usual, usual.replace('"main"', '"trunk"'))).toEqual([]);
  expect(findDangers(usual, usual.slice(0, usual.indexOf("[branch")))).toEqual([]);
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
  ["[user]\n\tname = a\\nb\n", "user.name"],
  ["[user]\n\tsigningKey = x\n", "user.signingkey"],
  ["[user]\n\tconstructor = x\n", "user.constructor"],
  ["[gc]\n\tpruneExpire = now\n", "gc.pruneexpire"],
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
  // A form that git reads and we do not is refused whole.
  ["[core] hooksPath = /tmp/x\n", hidden],
  ['[branch "x"]\n\tremote = origin\\\n[core]\n\thooksPath = x\n', hidden],
  ['[branch "a\\"b"]\n\tremote = origin\n', hidden],
  ["[branch.x]\n\tremote = origin\n", hidden],
  ["[pull]\r\n\trebase = true\n", hidden],
  ["[pull]\n\trebase = true # x \\\n", hidden],
  ['[pull "]\n\trebase = true\n', hidden],
  ["[ pull]\n\trebase = true\n", hidden],
])("refuses %j", (added, danger) => {
  expect(findDangers(usual, usual + added)).toContain(danger);
});

it.each(dangerousSettings)("refuses %s", (name) => {
  const [section = "", ...others] = name.split(".");
  const key = others.pop() ?? "";
  const head = others.length === 0 ? `[${section}]` : `[${section} "${others.join(".")}"]`;
  const danger = [section.toLowerCase(), ...others, key.toLowerCase()].join(".");
  expect(findDangers(usual, `${usual}${head}\n\t${key} = true\n`)).toEqual([danger]);
});

it("refuses to remove or to reorder what a person set", () => {
  expect(findDangers(`${usual}[transfer]\n\tfsckObjects = true\n`, usual)).toEqual(["transfer.fsckobjects"]);
  expect(findDangers(usual, usual.replace("bare = false", "bare = true"))).toEqual(["core.bare"]);
  expect(findDangers(usual, "")).toContain("remote.origin.url");
  const both = ["[a]\n\tx = 1\n", "[b]\n\tx = 1\n"];
  expect(findDangers(both.join(""), both.toReversed().join(""))).toEqual(["the order of settings"]);
});

it("changes nothing that it cannot read", () => {
  const unread = "[core] bare = false\n";
  expect(findDangers(unread, `${unread}[pull]\n\trebase = true\n`)).toEqual([
    "the settings are written in a form that is not read here",
  ]);
});

it("carries harmless changes over and drops the others", () => {
  const copy = `${usual}[core]\n\tfsmonitor = evil\n[branch "x"]\n\tremote = origin\n\tmerge = refs/heads/x\n`;
  const { text, dropped } = mergeSettings(usual, copy, usual);
  expect(text).toBe(`${usual}[branch "x"]\n\tremote = origin\n\tmerge = refs/heads/x\n`);
  expect(dropped).toEqual(["core.fsmonitor"]);
});

it("gives the text that git wrote where only harmless keys were changed", () => {
  const copy = usual.replace('"main"', '"trunk"');
  expect(mergeSettings(usual, copy, usual)).toEqual({ text: copy, dropped: [] });
});

it("keeps what another program changed at the same time, also the same key", () => {
  const copy = usual
    .replace("remote = origin", "remote = .")
    .replace("bare = false", "bare = false\n\tautocrlf = input");
  const now = `${usual.replace("remote = origin", "remote = origin\n\trebase = true")}[alias]\n\tst = !mine\n`;
  const merged = mergeSettings(usual, copy, now);
  expect(merged.dropped).toEqual([]);
  expect(merged.text).toContain("remote = .\n\trebase = true");
  expect(merged.text).toContain("autocrlf = input");
  expect(merged.text).toContain("[alias]\n\tst = !mine\n");
  const theirs = usual.replace("remote = origin", "remote = upstream");
  expect(mergeSettings(usual, usual.replace("remote = origin", "remote = ."), theirs).text).toBe(theirs);
});

it("drops the whole of a new remote whose address is refused, and what follows it", () => {
  const copy = `${usual}[remote "x"]\n\turl = /tmp/evil\n\tfetch = +refs/heads/*:refs/remotes/x/*\n[branch "x"]\n\tremote = x\n\tmerge = refs/heads/x\n`;
  const { text, dropped } = mergeSettings(usual, copy, usual);
  expect(dropped.toSorted()).toEqual(["branch.x.remote", "remote.x.fetch", "remote.x.url"]);
  expect(text).toBe(`${usual}[branch "x"]\n\tmerge = refs/heads/x\n`);
});

it("removes a section of which nothing is left, and adds a new one at the end", () => {
  const [merge] = (readConfig(usual) ?? []).slice(-1);
  if (merge === undefined) throw new Error("no entry");
  const without = setValues(usual, merge, []) ?? "";
  expect(without).toContain('[branch "main"]\n\tremote = origin\n');
  const emptied = setValues(without, { ...merge, key: "remote" }, []) ?? "";
  expect(emptied).not.toContain("[branch");
  expect(setValues(emptied, merge, [merge])).toBe(`${emptied}[branch "main"]\n\tmerge = refs/heads/main\n`);
});

it("never adds, changes or moves what is not harmless, whatever a command wrote", () => {
  const lines = [
    "[core]",
    "\thooksPath = evil",
    "\tfsmonitor",
    "\tautocrlf = input",
    '[branch "main"]',
    '[branch "a b"]',
    "\tremote = origin",
    "\tremote = x",
    "\tmerge = refs/heads/x",
    '[remote "x"]',
    "\turl = https://example.com/x",
    "\turl = ext::sh",
    "[include]",
    "\tpath = evil",
    "[user]",
    "\tname = me \\",
    '\tname = "x" ; y',
    "\temail = a@b",
    "# x",
    "",
    "[alias] x = !y",
    "[core",
  ];
  const text = fc.array(fc.constantFrom(...lines)).map((chosen) => `${chosen.join("\n")}\n`);
  const settings = fc.tuple(fc.constantFrom("", usual), text).map((parts) => parts.join(""));
  fc.assert(
    fc.property(settings, settings, settings, (before, copy, now) => {
      expect(findDangers(now, mergeSettings(before, copy, now).text)).toEqual([]);
    }),
  );
});
