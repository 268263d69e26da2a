// A developer's day with git inside the sandbox: harmless settings of the repository are kept, what could run a program is dropped.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createPolicy } from "../policy/create-policy.ts";
import { provenEnforcement } from "../testing/proven-enforcement.ts";
import { runCommand } from "./run-command.ts";

vi.setConfig({ testTimeout: 30_000 });

const enforcement = await provenEnforcement();

describe("settings of a repository", () => {
  let folder: string;
  const settings = () => readFileSync(join(folder, ".git/config"), "utf8");
  const git = (...words: readonly string[]) => execFileSync("git", words, { cwd: folder, encoding: "utf8" }).trim();
  const run = async (command: string) => {
    const policy = createPolicy({
      mode: "sandbox",
      network: "off",
      workspaceFolders: [folder],
      dataFolder: join(folder, "../data"),
      writable: [join(folder, "../origin.git")],
    });
    const result = await runCommand({ enforcement, policy, command, cwd: folder });
    if (result.ended !== "exit") throw new Error(JSON.stringify(result));
    return { code: result.exitCode, text: result.output.text, denials: result.denials.map(({ message }) => message) };
  };

  beforeEach(() => {
    const base = mkdtempSync("/var/tmp/signalbox-git-");
    onTestFinished(() => rmSync(base, { recursive: true, force: true }));
    folder = join(base, "project");
    mkdirSync(folder);
    git("init", "--quiet", "--initial-branch=main");
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "-m", "first");
    git("clone", "--quiet", "--bare", ".", join(base, "origin.git"));
    git("remote", "add", "origin", "https://example.com/project.git");
    git("remote", "add", "shared", join(base, "origin.git"));
    git("update-ref", "refs/remotes/origin/main", "HEAD");
  });

  it("keep bytes that are no UTF-8", async () => {
    const odd = Buffer.concat([
      readFileSync(join(folder, ".git/config")),
      Buffer.from("[user]\n\tname = J\xf6rg\n", "latin1"),
    ]);
    writeFileSync(join(folder, ".git/config"), odd);
    expect((await run("git config pull.rebase true")).denials).toEqual([]);
    const now = readFileSync(join(folder, ".git/config"));
    expect(now.subarray(0, odd.length).equals(odd)).toBe(true);
    expect(now.length).toBeGreaterThan(odd.length);
  });

  it("that name an editor and a pager hold up no command", async () => {
    for (const name of ["core.editor", "sequence.editor", "core.pager"]) git("config", name, "wait-for-a-person");
    const amended = "git -c user.name=a -c user.email=a@b commit --quiet --amend --allow-empty --date=now";
    const rebased = "git -c user.name=a -c user.email=a@b rebase --quiet --interactive --root";
    expect(await run(`${amended} && ${rebased} && git var GIT_PAGER`)).toMatchObject({ code: 0, text: "cat\n" });
  });

  it("are changed by a branch, a remote and a push, as outside, and seen by the next command", async () => {
    const day = [
      "git checkout --quiet -b topic origin/main",
      "git branch -m topic better",
      "git remote add fork git@example.com:you/project.git",
      "git config pull.rebase true",
      "git branch --set-upstream-to=origin/main main",
      "git push --quiet -u shared better:fresh",
    ];
    expect(await run(day.join(" && "))).toMatchObject({ code: 0, denials: [] });
    expect(git("config", "branch.better.remote")).toBe("shared");
    expect(git("--git-dir=../origin.git", "rev-parse", "fresh")).toBe(git("rev-parse", "better"));
    expect(git("config", "branch.main.merge")).toBe("refs/heads/main");
    expect(git("remote").split("\n")).toEqual(["fork", "origin", "shared"]);
    expect(git("config", "pull.rebase")).toBe("true");
    expect((await run("git config branch.better.merge")).text).toBe("refs/heads/fresh\n");
    // What was changed outside is what the next command sees.
    git("config", "branch.better.remote", "fork");
    expect((await run("git config branch.better.remote; git branch --quiet -D main")).text).toBe("fork\n");
    expect(readdirSync(join(folder, ".git"))).not.toContain("config.lock");
  });

  it.each([
    ["the newer husky", ".husky/_"],
    ["the older husky", ".husky"],
  ])("leave hooks as they are while an install with %s writes its own again, and hooks run", async (_, hooks) => {
    mkdirSync(join(folder, ".husky/_"), { recursive: true });
    writeFileSync(join(folder, ".husky/_/h"), "as before\n", { mode: 0o755 });
    writeFileSync(join(folder, hooks, "pre-commit"), "#!/bin/sh\necho ran > hook\n", { mode: 0o755 });
    git("config", "core.hooksPath", hooks);
    const install = `git config core.hooksPath ${hooks} && rm -f .husky/_/husky.sh && mkdir -p .husky/_ && echo new > .husky/_/h && cat .husky/_/h`;
    const commit = "git -c user.name=a -c user.email=a@b commit --quiet --allow-empty -m second";
    const away = "mv .husky/_ elsewhere; mv .husky elsewhere; echo evil > .husky/post-commit";
    const { text, denials } = await run(
      `${install}; ${commit}; cat hook; (${away}) 2> /dev/null; git config core.pager`,
    );
    expect(text).toBe("new\nran\n");
    expect(denials).toEqual([]);
    expect(readFileSync(join(folder, ".husky/_/h"), "utf8")).toBe("as before\n");
    if (hooks === ".husky") expect(readdirSync(join(folder, ".husky")).toSorted()).toEqual(["_", "pre-commit"]);
  });

  it("that could run a program are dropped, the others are carried over, and the result says which", async () => {
    const before = settings();
    const evil = `git config core.hooksPath /tmp/x; git config alias.st '!touch x'; git config pull.rebase true`;
    expect((await run(evil)).denials).toEqual([
      expect.stringMatching(/changing .*\.git\/config \(core\.hookspath\) is not allowed: .* dropped/),
      expect.stringMatching(/\(alias\.st\)/),
    ]);
    expect(settings()).toBe(`${before}[pull]\n\trebase = true\n`);
    expect((await run("git config core.hooksPath")).text).toBe("");
  });

  it("are never what a command wrote before it was checked", async () => {
    const before = settings();
    // Seen from outside while it runs: the file that programs obey stays as it is.
    const looking = run("git config core.fsmonitor /tmp/x; touch wrote; until [ -e seen ]; do sleep 0.01; done");
    await expect.poll(() => readdirSync(folder), { timeout: 20_000 }).toContain("wrote");
    expect(settings()).toBe(before);
    writeFileSync(join(folder, "seen"), "");
    expect((await looking).denials).toHaveLength(1);
    expect(settings()).toBe(before);
  });

  it("stay closed when git outside puts a new file in their place, which takes mounts away, and the command goes on", async () => {
    // Until it is closed again, git inside may take the lock of the file itself, which it cannot replace then.
    const isClosed = "[ -e go ] && [ -L .git/config ]";
    const spy = run(
      `touch began; until ${isClosed}; do sleep 0.01; done; echo '[pull]' >> .git/config; git config core.pager x`,
    );
    await expect.poll(() => readdirSync(folder), { timeout: 20_000 }).toContain("began");
    // Once more: a file that is guarded again must be guarded as well.
    for (const value of ["true", "false"]) git("config", "branch.main.rebase", value);
    const now = settings();
    writeFileSync(join(folder, "go"), "");
    expect(await spy).toMatchObject({ code: 0, denials: [expect.stringContaining("core.pager")] });
    expect(settings()).toBe(now);
  });

  it("keep what is set outside while a command changes other keys, and the same key", async () => {
    const command = run(
      "git config pull.rebase true; git config pull.ff only; touch began; until [ -e go ]; do sleep 0.01; done",
    );
    await expect.poll(() => readdirSync(folder), { timeout: 20_000 }).toContain("began");
    git("config", "pull.rebase", "merges");
    git("config", "user.email", "jo@example.com");
    writeFileSync(join(folder, "go"), "");
    expect(await command).toMatchObject({ code: 0, denials: [] });
    const names = ["pull.rebase", "pull.ff", "user.email", "remote.origin.url"];
    expect(names.map((name) => git("config", name))).toEqual([
      "merges",
      "only",
      "jo@example.com",
      "https://example.com/project.git",
    ]);
  });

  it("are not changed where git outside left its lock behind, and the result says so", async () => {
    writeFileSync(join(folder, ".git/config.lock"), "");
    const before = settings();
    expect((await run("git config pull.rebase true")).denials).toEqual([expect.stringContaining("config.lock exists")]);
    expect(settings()).toBe(before);
    expect(readFileSync(join(folder, ".git/config.lock"), "utf8")).toBe("");
  });

  it("keep their mode and stay the same file", async () => {
    chmodSync(join(folder, ".git/config"), 0o640);
    const { ino } = statSync(join(folder, ".git/config"));
    expect((await run("git config pull.rebase true")).denials).toEqual([]);
    expect(git("config", "pull.rebase")).toBe("true");
    expect(statSync(join(folder, ".git/config"))).toMatchObject({ ino, mode: 0o100640 });
  });

  it.each([
    ["remove them", "rm -f .git/config"],
    ["put another file in their place", "echo '[core]' > x && mv x .git/config"],
    ["swap the folder around them", "mv .git old && mkdir .git && cp -r old/. .git"],
    ["write them in place", "printf '[core]\\n\\tfsmonitor = x\\n' >> .git/config"],
    ["remove the copy", 'rm -f "$(readlink .git/config)"'],
    ["make the copy a link", 'c=$(readlink .git/config); rm "$c"; ln -s /etc/hosts "$c"'],
    ["make the copy's folder a link", 'd=$(dirname "$(readlink .git/config)"); mv "$d" "$d.old"; ln -s "$PWD" "$d"'],
    ["make the copy a pipe", 'c=$(readlink .git/config); rm "$c"; mkfifo "$c"'],
    ["make the copy huge", 'truncate -s 1G "$(readlink .git/config)"'],
  ])("hold when a command tries to %s", async (_what, command) => {
    const before = settings();
    await run(command);
    expect(settings()).toBe(before);
    expect(readdirSync(folder).filter((name) => name.startsWith("config"))).toEqual([]);
    expect((await run("git config core.bare")).text).toBe("false\n");
    expect(settings()).toBe(before);
  });
});
