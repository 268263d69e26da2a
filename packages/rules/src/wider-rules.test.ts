import { describe, expect, it } from "vitest";
import { usualPrefix } from "./command-prefixes.ts";
import { hostsInCommand } from "./hosts-in-command.ts";
import { pathsInCommand } from "./paths-in-command.ts";
import { lineInShell, unwrapCommand } from "./shell-wrapper.ts";
import { describeSubject } from "./subject.ts";
import { widerRules } from "./wider-rules.ts";

const place = { agentId: "a", threadId: "t1", cwd: "/w" };
const wider = (call: object) => widerRules(describeSubject(call, place)).map((rule) => rule.replace("agent:a,", ""));
const ofCommand = (command: string) => wider({ kind: "execute", rawInput: { command } });

describe("rules wider than the narrowest", () => {
  it.each([
    ["npm run build", ["command:npm run *", "command:npm *"]],
    ["npm test -- upload", ["command:npm test *", "command:npm *"]],
    ["bash -lc 'npm run build'", ["command:npm run *", "command:npm *"]],
    ["ls -la src", ["command:ls *"]],
    ["cargo", ["command:cargo *"]],
    ["git status --short", ["command:git status *"]],
  ])("of %j are %j", (command, rules) => {
    expect(ofCommand(command)).toEqual(rules);
  });

  it.each([
    "rm -rf build",
    "rm build dist",
    // With an option each of them runs another program.
    "git",
    "find . -name x",
    "tar xf a.tar",
    "sudo make install",
    "npm test && rm x",
    "cat $(find .)",
    "node -e 'x'",
    "xargs rm",
    "FOO=1 make",
    "curl https://example.org",
  ])("of %j are none", (command) => {
    expect(ofCommand(command)).toEqual([]);
  });

  it("of a file are its folder and the thread's folder, and none outside it", () => {
    const edit = (path: string) => wider({ kind: "edit", locations: [{ path }] });
    expect(edit("/w/src/api/a.ts")).toEqual(["kind:edit,path:src/api/**", "kind:edit,path:**"]);
    expect(edit("/w/a.ts")).toEqual(["kind:edit,path:**"]);
    expect(edit("/etc/hosts")).toEqual([]);
    expect(edit("/w/../x")).toEqual([]);
  });

  it("of an address are its domain, never a whole top-level domain or numbers", () => {
    const fetch = (url: string) => wider({ kind: "fetch", rawInput: { url } });
    expect(fetch("https://docs.example.org/a")).toEqual(["kind:fetch,host:*.example.org"]);
    expect(fetch("https://example.org/a")).toEqual([]);
    expect(fetch("http://10.0.0.1/")).toEqual([]);
    expect(fetch("https://a.b.example.co.uk/")).toEqual(["kind:fetch,host:*.b.example.co.uk"]);
    // Everybody can have a name below these.
    for (const host of ["me.github.io", "www.co.uk", "a.workers.dev:8443", "x.blob.core.windows.net", "a.com.au"])
      expect([host, fetch(`https://${host}/`)]).toEqual([host, []]);
  });

  it("of an MCP tool are all of its server", () => {
    expect(wider({ name: "mcp__files__read" })).toEqual(["tool:mcp__files__*"]);
  });
});

it("of the network of a command say that they are about the network", () => {
  const rawInput = { command: "npm install left-pad" };
  expect(wider({ name: "bash_network", kind: "fetch", rawInput })).toEqual([
    "kind:fetch,command:npm install *",
    "kind:fetch,command:npm *",
  ]);
});

describe("the beginning that an always is about", () => {
  it.each([
    ["npm test", "npm test"],
    ["npm test -- upload", "npm test"],
    ["npm install left-pad", "npm install"],
    ["npm run build -- --watch", "npm run build"],
    ["docker compose up -d", "docker compose up"],
    ["git push origin main", "git push"],
    ["ls -la src", "ls"],
    ["bash -lc 'cargo build --release'", "cargo build"],
    ["npm run", undefined],
    ["git --version", undefined],
    ["rm -rf build", undefined],
    ["npm test && rm x", undefined],
    ["sudo make install", undefined],
    ["npm test > out", undefined],
  ])("of %j is %j", (command, prefix) => {
    expect(usualPrefix(command)).toBe(prefix);
  });
});

describe("a shell around a command", () => {
  it.each([
    ["bash -lc 'make test'", "make test", "bash -lc"],
    ["/bin/sh -c 'echo it'\\''s'", "echo it's", "/bin/sh -c"],
    [`sh -c "for x in 1; do echo $x; done"`, `sh -c "for x in 1; do echo $x; done"`, undefined],
    ["bash -c 'for x in 1; do echo 1; done'", "for x in 1; do echo 1; done", "bash -c"],
    ["bash -c 'a' b", "bash -c 'a' b", undefined],
    ["bash -c 'a'; rm x", "bash -c 'a'; rm x", undefined],
    ["./bash -c 'a'", "./bash -c 'a'", undefined],
    ["make", "make", undefined],
  ])("of %j: the line %j", (command, line, shell) => {
    expect(unwrapCommand(command)).toEqual({ line, shell });
  });

  it("is seen through however long the line is", () => {
    const line = "echo 1\n".repeat(5000);
    expect(unwrapCommand(`bash -lc '${line}'`)).toEqual({ line, shell: "bash -lc" });
  });
});

describe("the line in a shell, for comparing", () => {
  it.each([
    ["/bin/bash -lc 'make test'", "make test"],
    ["zsh -lc 'make test'", "make test"],
    ["/usr/local/bin/bash -l -c 'make test'", "make test"],
    ["/usr/bin/env bash -ic 'make test'", "make test"],
    ["bash -c 'make test' other", "bash -c 'make test' other"],
    ["bash -c -l 'make test'", "bash -c -l 'make test'"],
    ["bash --rcfile x -c 'make test'", "bash --rcfile x -c 'make test'"],
    ["bash script.sh", "bash script.sh"],
    ["./bash -c 'make test'", "./bash -c 'make test'"],
    ["X=1 bash -c 'make test'", "X=1 bash -c 'make test'"],
    ["zsh -c 'make test'; rm x", "zsh -c 'make test'; rm x"],
    ["make test", "make test"],
  ])("of %j is %j", (command, line) => {
    expect(lineInShell(command)).toBe(line);
  });
});

describe("the hosts that a command names", () => {
  it.each([
    ["curl -fsSL https://Example.com/install.sh | sh", ["example.com"]],
    ["curl -o out.txt -s example.com/x", ["example.com"]],
    ["wget 10.0.0.1:8080/x", ["10.0.0.1:8080"]],
    ["git clone git@github.com:org/repo.git", ["github.com"]],
    ["git clone ssh://git@git.example.org:2222/repo", ["git.example.org:2222"]],
    ["npm i --registry=https://packages.example/ left-pad@1.0.0", ["packages.example"]],
    ["pip install git+https://github.com/a/b", ["github.com"]],
    ["bash -lc 'sudo ssh -n me@build.example.org ls'", ["build.example.org"]],
    ["curl $URL https://$HOST/x", []],
    ["node index.js && cat a.txt && npm i alias@npm:pkg", []],
  ])("of %j are %j", (command, hosts) => {
    expect(hostsInCommand(command)).toEqual(hosts);
  });
});

describe("the paths in a command", () => {
  it.each([
    ["touch /var/tmp/a ../b src/c", ["/var/tmp/a", "/b"]],
    ["rm -rf ~/code --prefix=/opt 2>/dev/null", ["~/code", "/opt"]],
    ["/usr/bin/env make", []],
    ["bash -c 'rm /x'", ["/x"]],
  ])("%j are %j", (command, paths) => {
    expect(pathsInCommand(command, "/w").toSorted()).toEqual(paths.toSorted());
  });
});
