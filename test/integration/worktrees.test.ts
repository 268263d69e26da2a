// Tests threads in git worktrees of their own: made, set up, apart from each other, and removed only when nothing is lost.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RequestParams, ThreadRow } from "@signalbox/protocol";
import { expect, it } from "vitest";
import { script } from "../support/fake-agent/script.ts";
import { type FakeHost, run } from "../support/fake-host.ts";
import { runProgram } from "../support/host-process.ts";
import type { TestScreen } from "../support/screen.ts";
import { sharedHost } from "../support/shared-host.ts";

const canFork = JSON.stringify({ agentCapabilities: { sessionCapabilities: { fork: {} } } });
const allowAll = { agentArgs: ["--initialize", canFork], config: { permissions: [{ allow: "all" }] } };

function shell(folder: string, command: string): string {
  return execFileSync("bash", ["-c", command], { cwd: folder, encoding: "utf8" });
}

function makeRepository(folder: string): void {
  shell(
    folder,
    `git init -q -b main . && git config user.email a@b && git config user.name a
     printf 'one\\n' > a.txt && mkdir sub && printf 'two\\n' > sub/b.txt && printf '*.log\\n' > .gitignore
     git add -A && git commit -qm first`,
  );
}

async function create(
  host: FakeHost,
  screen: TestScreen,
  more: Partial<RequestParams<"session.create">> = {},
): Promise<ThreadRow & { readonly git: { readonly worktree: string } }> {
  const params = { agent_id: "fake", cwd: host.project, worktree: {}, ...more };
  const { thread } = await screen.ask("session.create", params);
  const worktree = thread.git?.worktree;
  if (thread.git === null || worktree === undefined) throw new Error("no worktree");
  await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id: thread.id });
  return { ...thread, git: { ...thread.git, worktree } };
}

const branches = (folder: string) => shell(folder, "git branch --format='%(refname:short)'").trim().split("\n");

async function deleted(screen: TestScreen, thread_id: string, discard?: boolean) {
  return await screen.request({ control: "session.delete", thread_id, ...(discard === undefined ? {} : { discard }) });
}

it("two threads of one project work apart, each on a branch called like its title, and a deleted one loses no work", async () => {
  await using host = await sharedHost(allowAll);
  makeRepository(host.project);
  // None of what the repository names is run, whatever it is called.
  shell(
    host.project,
    `for hook in post-checkout reference-transaction post-index-change; do
       printf '#!/bin/sh\\ntouch ${host.project}/../ran\\n' > .git/hooks/$hook; chmod 755 .git/hooks/$hook
     done
     git config 'filter.a=b.smudge' 'touch ${host.project}/../ran; cat' && git config core.fsmonitor 'touch ${host.project}/../ran'
     printf '*.txt filter=a=b\\n' > .git/info/attributes`,
  );
  const screen = await host.screen();
  const first = await create(host, screen, { title: "Fix the Test!" });
  const second = await create(host, screen, { title: "fix the test", cwd: join(host.project, "sub") });
  expect([first.git, second.git]).toMatchObject([
    { branch: "fix-the-test", base: "main", project: host.project },
    { branch: "fix-the-test-2", base: "main", project: join(host.project, "sub") },
  ]);
  expect(first.cwd).toBe(first.git.worktree);
  expect(second.cwd).toBe(join(second.git.worktree, "sub"));
  expect(first.git.worktree.startsWith(host.project)).toBe(false);

  const turn = await run(screen, first.id, { shell: "echo changed > a.txt; echo new > new.txt" });
  await run(screen, second.id, { shell: "echo other > b.txt" });
  expect(turn.checkpoint).toMatchObject({ files_changed: 2, notice: null });
  expect(readFileSync(join(host.project, "a.txt"), "utf8")).toBe("one\n");
  expect(readFileSync(join(second.git.worktree, "a.txt"), "utf8")).toBe("one\n");
  const state = await screen.request({ control: "tvx.query", name: "git.state", args: { thread_id: first.id } });
  expect(state).toMatchObject({
    rows: [
      {
        branch: "fix-the-test",
        compared_to: "main",
        ahead: 0,
        behind: 0,
        dirty: 2,
        files: [
          { path: "a.txt", status: "modified" },
          { path: "new.txt", status: "untracked" },
        ],
      },
    ],
  });
  const listed = await screen.request({ control: "tvx.query", name: "threads.list", args: { cwd: first.cwd } });
  expect(listed).toMatchObject({ rows: [{ id: first.id, git: { ...first.git, ahead: 0, behind: 0, dirty: 2 } }] });

  expect(await deleted(screen, first.id)).toMatchObject({
    type: "tinyvex.error",
    code: "conflict",
    details: { files: ["a.txt", "new.txt"] },
  });
  expect(readFileSync(join(first.cwd, "new.txt"), "utf8")).toBe("new\n");
  await screen.request({ control: "session.close", thread_id: first.id });
  expect(existsSync(first.git.worktree)).toBe(true);
  expect(await deleted(screen, second.id, true)).toMatchObject({ type: "tinyvex.ok" });
  expect(existsSync(second.git.worktree)).toBe(false);
  expect(existsSync(host.folder.in("ran"))).toBe(false);
  shell(host.project, "rm .git/hooks/* && git config --unset core.fsmonitor && rm .git/info/attributes");
  shell(first.cwd, "git add -A && git commit -qm work");
  expect(await deleted(screen, first.id)).toMatchObject({ type: "tinyvex.ok" });
  expect(existsSync(first.git.worktree)).toBe(false);
  // The branches stay, with what was committed.
  expect(branches(host.project)).toEqual(["fix-the-test", "fix-the-test-2", "main"]);
  expect(shell(host.project, "git show fix-the-test:new.txt; git worktree list | wc -l").trim()).toBe("new\n1");
});

it("work that git status does not show keeps a thread from being deleted", async () => {
  await using host = await sharedHost(allowAll);
  makeRepository(host.project);
  const screen = await host.screen();
  const { id, cwd, git } = await create(host, screen, { title: "hidden" });
  const lost = async () => {
    const answer = await deleted(screen, id);
    return answer.type === "tinyvex.error" ? answer.details : answer.type;
  };
  shell(cwd, "git update-index --assume-unchanged a.txt && echo secret > a.txt");
  expect(await lost()).toEqual({ files: ["a.txt"] });
  shell(cwd, "git update-index --no-assume-unchanged a.txt && git checkout -q --detach && git commit -qam lost");
  const commit = shell(cwd, "git rev-parse HEAD").trim();
  expect(await lost()).toEqual({ files: [commit] });
  shell(cwd, "git branch kept");
  // A fork works in the same folder: the worktree stays as long as one of them does.
  const forked = await screen.ask("session.fork", { thread_id: id });
  writeFileSync(join(cwd, "new.txt"), "new\n");
  expect(await lost()).toBe("tinyvex.ok");
  expect(existsSync(join(cwd, "new.txt"))).toBe(true);
  expect(await deleted(screen, forked.thread_id)).toMatchObject({ details: { files: ["new.txt"] } });
  expect(await deleted(screen, forked.thread_id, true)).toMatchObject({ type: "tinyvex.ok" });
  expect(existsSync(git.worktree)).toBe(false);
});

it("a bad or busy branch, no repository, no commit and an agent that does not start: nothing is made", async () => {
  await using host = await sharedHost(allowAll);
  const screen = await host.screen();
  const codeOf = async (more: Partial<RequestParams<"session.create">>) => {
    const message = { control: "session.create", agent_id: "fake", cwd: host.project, worktree: {}, ...more } as const;
    const answer = await screen.request(message);
    return answer.type === "tinyvex.error" ? answer.code : answer.type;
  };
  expect(await codeOf({})).toBe("bad_request");
  shell(host.project, "git init -q -b main .");
  expect(await codeOf({})).toBe("conflict");
  shell(host.project, "git config user.email a@b; git config user.name a; git commit -q --allow-empty -m first");
  for (const branch of ["-b", "a..b", "HEAD", "a b", "refs/heads/../x", "@{-1}", "x.lock"])
    expect(await codeOf({ worktree: { branch } }), branch).toBe("bad_request");
  expect(await codeOf({ worktree: { branch: "main" } })).toBe("conflict");
  // Not in the last commit.
  mkdirSync(join(host.project, "new"));
  expect(await codeOf({ cwd: join(host.project, "new"), title: "no" })).toBe("conflict");
  writeFileSync(join(host.project, "config.json"), "");
  mkdirSync(join(host.project, ".signalbox"));
  writeFileSync(join(host.project, ".signalbox/config.json"), "not JSON");
  expect(await codeOf({ title: "no" })).toBe("bad_request");
  expect(branches(host.project)).toEqual(["main"]);
  expect(shell(host.project, "git worktree list").trim().split("\n")).toHaveLength(1);
  expect(await codeOf({ worktree: { branch: "main" }, cwd: "/nowhere" })).toBe("not_found");
});

it("the project's set-up runs once in the sandbox, with the first prompt, and is part of the thread", async () => {
  await using host = await sharedHost(allowAll);
  makeRepository(host.project);
  mkdirSync(join(host.project, ".signalbox"));
  // Not committed: it is the project's all the same.
  const setup = `echo made > set-up.log; cat ${host.process.ready.data_dir}/token > token.log; echo setting up`;
  writeFileSync(join(host.project, ".signalbox/config.json"), JSON.stringify({ worktree: { setup } }));
  const screen = await host.screen();
  const { id, cwd } = await create(host, screen, { title: "with set-up" });
  expect(existsSync(join(cwd, "set-up.log"))).toBe(false);
  const turn = await run(screen, id, { shell: "cat set-up.log > seen.txt" });
  expect(readFileSync(join(cwd, "seen.txt"), "utf8")).toBe("made\n");
  // What the set-up makes is not what the turn changed.
  expect(turn.checkpoint).toMatchObject({ files_changed: 1 });
  expect(readFileSync(join(cwd, "token.log"), "utf8")).toBe("");
  await run(screen, id, { say: "again" });
  const terminals = await screen.request({ control: "tvx.query", name: "terminals.list", args: { thread_id: id } });
  expect(terminals).toMatchObject({ rows: [{ command: setup, cwd, exit_code: 0 }] });
  const calls = await screen.request({ control: "tvx.query", name: "tool_calls.list", args: { thread_id: id } });
  expect(calls).toMatchObject({ rows: [{ kind: "execute", status: "completed", content: [{ type: "terminal" }] }] });
  expect(await deleted(screen, id, true)).toMatchObject({ type: "tinyvex.ok" });

  const words = ["run", "--data-dir", host.process.ready.data_dir, "--cwd", host.project, "--agent", "fake"];
  const ran = await runProgram([
    ...words,
    "--worktree",
    "--branch",
    "by-command",
    script({ shell: "cat set-up.log > seen.txt" }),
  ]);
  expect(ran).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/In the worktree .*\/by-command, on the branch by-command\./),
  });
  expect(branches(host.project)).toEqual(["by-command", "main", "with-set-up"]);
  expect(await runProgram([...words, "--branch", "x", "hello"])).toMatchObject({ code: 64 });
});

it("commits chosen files as the user's own git does, hooks included, and merges the branch back whole or not at all", async () => {
  await using host = await sharedHost(allowAll);
  makeRepository(host.project);
  const screen = await host.screen();
  const { id, cwd } = await create(host, screen, { title: "to merge" });
  const commit = async (...paths: string[]) =>
    await screen.request({ control: "git.commit", thread_id: id, message: "A message\n\n# kept", paths });
  const merge = async () => await screen.request({ control: "git.merge", thread_id: id });
  await run(screen, id, {
    shell:
      "echo two >> a.txt; rm sub/b.txt; echo x > '*'; mkdir d; echo x > ':(x) y'; echo x > d/staged; git add d; echo x > d/new",
  });
  // A hook that refuses: its output is shown, and nothing stays behind.
  shell(
    host.project,
    "printf '#!/bin/sh\\necho the tests fail >&2; exit 1\\n' > .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit",
  );
  const before = shell(cwd, "git status --porcelain");
  expect(await commit("a.txt", "*")).toMatchObject({
    code: "conflict",
    details: { output: expect.stringContaining("the tests fail") },
  });
  expect(shell(cwd, "git status --porcelain")).toBe(before);
  expect(await commit("keep.txt")).toMatchObject({ code: "conflict" });
  shell(host.project, "printf '#!/bin/sh\\necho checked\\n' > .git/hooks/pre-commit");
  expect(await merge()).toMatchObject({ code: "conflict", details: { files: expect.arrayContaining(["a.txt", "*"]) } });
  const done = await commit("a.txt", "sub/b.txt", "*", ":(x) y");
  expect(done).toMatchObject({ type: "tinyvex.ok", output: expect.stringContaining("checked") });
  expect(shell(cwd, "git show --name-status --format=%B HEAD").trim()).toBe(
    "A message\n\n# kept\n\n\nA\t*\nA\t:(x) y\nM\ta.txt\nD\tsub/b.txt",
  );
  // What was staged and not chosen still is; what was neither still is not.
  expect(shell(cwd, "git status --porcelain").trim()).toBe("A  d/staged\n?? d/new");
  // Signed as the user's settings say. A key that is not there is an error, and nothing stays behind.
  const key = host.folder.in("key");
  shell(
    host.project,
    `ssh-keygen -q -t ed25519 -N '' -f ${key} && printf 'a@b %s\n' "$(cat ${key}.pub)" > ${key}.signers
     git config gpg.format ssh && git config user.signingkey ${key}.gone && git config commit.gpgsign true
     git config gpg.ssh.allowedSignersFile ${key}.signers`,
  );
  const unsigned = shell(cwd, "git rev-parse HEAD; git status --porcelain");
  expect(await commit("d/staged", "d/new")).toMatchObject({
    code: "conflict",
    details: { output: expect.stringContaining("key.gone") },
  });
  expect(shell(cwd, "git rev-parse HEAD; git status --porcelain")).toBe(unsigned);
  shell(host.project, `git config user.signingkey ${key}`);
  expect(await commit("d/staged", "d/new")).toMatchObject({ type: "tinyvex.ok" });
  expect(shell(cwd, "git log -2 --format=%G?").trim()).toBe("G\nN");

  // The same place changed on main: refused with the list, and main is as it was.
  shell(host.project, "echo other >> a.txt; git commit -qam other; echo mine > mine.txt");
  const main = shell(host.project, "git rev-parse HEAD; git status --porcelain");
  expect(await merge()).toMatchObject({ code: "conflict", details: { files: ["a.txt"] } });
  expect(shell(host.project, "git rev-parse HEAD; git status --porcelain")).toBe(main);
  shell(host.project, "git reset -q --hard HEAD~1; echo more > more.txt; git add more.txt; git commit -qm more");
  // A hook that refuses a merge: files are put back.
  shell(
    host.project,
    "printf '#!/bin/sh\\necho no merge; exit 1\\n' > .git/hooks/commit-msg; chmod 755 .git/hooks/commit-msg",
  );
  const unmerged = shell(host.project, "git rev-parse HEAD; git status --porcelain");
  expect(await merge()).toMatchObject({ code: "conflict", details: { output: expect.stringContaining("no merge") } });
  expect(shell(host.project, "git rev-parse HEAD; git status --porcelain")).toBe(unmerged);
  shell(host.project, "rm .git/hooks/commit-msg");
  expect(await merge()).toMatchObject({ type: "tinyvex.ok" });
  expect(readFileSync(join(host.project, "a.txt"), "utf8")).toBe("one\ntwo\n");
  expect(readFileSync(join(host.project, "mine.txt"), "utf8")).toBe("mine\n");
  expect(shell(host.project, "git log -1 --format=%G?%s").trim()).toBe("GMerge branch 'to-merge'");
  const listed = await screen.request({ control: "tvx.query", name: "threads.list", args: { cwd } });
  expect(listed).toMatchObject({ rows: [{ git: { branch: "to-merge", ahead: 0, behind: 2, dirty: 0 } }] });
  shell(host.project, "git checkout -q -b elsewhere");
  expect(await merge()).toMatchObject({ code: "conflict" });
  expect(await deleted(screen, id)).toMatchObject({ type: "tinyvex.ok" });
});
