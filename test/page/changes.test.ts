// What an agent changed on the disk, in the browser: seen by file, commented on, undone, redone, and committed.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { script, toolCall, toolCallUpdate } from "../support/fake-agent/script.ts";
import { run, submit, turnEnd } from "../support/fake-host.ts";
import { chooseOption } from "./list-box.ts";
import { pageTests, restingTop } from "./open-thread.ts";

const tests = pageTests();

it("shows what an edit and a command changed, takes comments for the agent, undoes changes, redoes them and commits", async () => {
  await using thread = await tests.openThread();
  const { page, screen, threadId, folder } = thread;
  const path = (name: string) => join(folder, name);
  const lines = Array.from({ length: 30 }, (_, index) => `const value${index + 1} = ${index + 1};\n`);
  writeFileSync(path("a.ts"), lines.join(""));
  const git = (command: string) => execFileSync("bash", ["-c", command], { cwd: folder, encoding: "utf8" });
  git(
    "git init -q -b main . && git config user.name a && git config user.email a@b && git add . && git commit -qm first",
  );
  git("printf '#!/bin/sh\\ngrep -q Raise \"$1\" || { echo say what was raised; exit 1; }\\n' > .git/hooks/commit-msg");
  git("chmod 755 .git/hooks/commit-msg && git commit -q --amend --no-verify -m first");
  const changed = lines.with(9, "const value10 = 1000;\n").join("");
  const edit = { type: "diff", path: path("a.ts"), oldText: lines.join(""), newText: changed };
  const turnId = await submit(
    screen,
    threadId,
    { shell: "sed -i 's/value10 = 10/value10 = 1000/' a.ts" },
    toolCall("e1", { title: "Edit a.ts", kind: "edit", locations: [{ path: path("a.ts") }] }),
    toolCallUpdate("e1", { status: "completed", content: [edit] }),
    { shell: "mkdir -p sub; printf 'n\\342\\200\\213ew\\n' > sub/new.txt" },
  );
  await turnEnd(screen, turnId);
  await page.getByRole("link", { name: "2 files changed" }).click();

  const file = page.getByRole("article", { name: "a.ts", exact: true });
  await expect.poll(() => file.innerText()).toContain("value10 = 1000");
  await expect.poll(() => file.innerText()).toContain("by an edit of the agent");
  const added = page.getByRole("article", { name: "sub/new.txt" });
  await expect.poll(() => added.innerText()).toContain("by a command");
  await expect.poll(() => added.innerText()).toContain("n⟨U+200B⟩ew");

  // By key to the next file, and back.
  await page.setViewportSize({ width: 1280, height: 360 });
  const start = await restingTop(file);
  await page.keyboard.press("]");
  await page.keyboard.press("]");
  await expect.poll(() => restingTop(file)).toBeLessThan(start - 100);
  await page.keyboard.press("[");
  await expect.poll(() => restingTop(file)).toBeGreaterThan(start - 20);
  await page.setViewportSize({ width: 1280, height: 720 });

  await file.getByRole("button", { name: "Comment on line 10" }).click();
  await page.keyboard.type("Why so many?");
  await page.keyboard.press("Enter");
  await page.reload();
  await page.getByText("Why so many?").waitFor();

  // A drag over numbers comments on a range.
  await file
    .getByRole("button", { name: "Comment on line 8" })
    .dragTo(file.getByRole("button", { name: "Comment on line 9" }));
  await page.getByLabel("Comment on lines 8-9").waitFor();
  await page.keyboard.press("Escape");
  // Two columns, and a mark for a file that was looked at.
  await page.getByRole("button", { name: "Side by side" }).click();
  await file.locator(".diff-pair").first().waitFor();
  await page.getByRole("button", { name: "One column" }).click();
  await page.getByRole("navigation", { name: "Changed files" }).getByRole("checkbox", { name: "Viewed a.ts" }).click();
  await page.getByText("1 of 2 viewed").waitFor();

  // A file that somebody else changed since stays as it is.
  writeFileSync(path("sub/new.txt"), "mine\n");
  await page.getByRole("button", { name: "Undo changes…" }).click();
  const dialog = page.getByRole("dialog");
  await expect.poll(() => dialog.innerText()).toContain("One file stays as it is");
  expect(readFileSync(path("a.ts"), "utf8")).toBe(changed);
  await dialog.getByRole("button", { name: "Undo 1 file" }).click();
  await dialog.getByText("1 file undone.").waitFor();
  expect(readFileSync(path("a.ts"), "utf8")).toBe(lines.join(""));
  expect(readFileSync(path("sub/new.txt"), "utf8")).toBe("mine\n");
  await dialog.getByRole("button", { name: "Redo" }).click();
  await dialog.getByText("Redone").waitFor();
  expect(readFileSync(path("a.ts"), "utf8")).toBe(changed);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  // Whose change it was is said of a restore too.
  const checkpoints = page.getByRole("navigation", { name: "Checkpoints" }).getByRole("button");
  await checkpoints.nth(2).click();
  await expect.poll(() => file.innerText()).toContain("undone by you");
  await checkpoints.nth(0).click();

  // Commits what the thread changed: not the file that somebody else made since. A hook refuses the first message.
  writeFileSync(path("other.txt"), "not the agent's\n");
  await page.getByRole("button", { name: "Commit…" }).click();
  const form = page.getByRole("dialog", { name: "Commit on main" });
  await expect.poll(() => form.getByLabel("a.ts").isChecked()).toBe(true);
  await expect.poll(() => form.getByLabel("other.txt").isChecked()).toBe(false);
  await form.getByLabel("Commit message").fill("Change it");
  await form.getByRole("button", { name: "Commit 2 files" }).click();
  await form.getByText("say what was raised").waitFor();
  expect(git("git log --format=%s").trim()).toBe("first");
  await form.getByLabel("Commit message").fill("Raise value10");
  await form.getByRole("button", { name: "Commit 2 files" }).click();
  await form.getByText("Committed ").waitFor();
  expect(git("git log -1 --name-only --format=%s").trim()).toBe("Raise value10\n\na.ts\nsub/new.txt");
  await form.getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("button", { name: "main ±1" }).waitFor();

  await page.getByRole("button", { name: "Send to Fake" }).click();
  const prompt = page.getByRole("article", { name: "You" }).last();
  await expect.poll(() => prompt.innerText()).toContain("a.ts:10\n> const value10 = 1000;\n\nWhy so many?");
  expect(existsSync(path("sub/new.txt"))).toBe(true);

  // The first prompt again, with other words: in a fork from before it, with its changes undone.
  const retry = page.getByRole("button", { name: "Edit and retry" });
  await expect.poll(() => retry.count()).toBe(2);
  await retry.first().click();
  const edited = page.getByRole("dialog", { name: "Edit and retry" });
  await edited.getByLabel("Edited prompt").fill(script({ say: "tried again" }));
  await edited.getByRole("button", { name: "Retry in a fork" }).click();
  await page.getByRole("region", { name: "Before the fork" }).getByText("A new session").waitFor();
  await page.getByText("tried again", { exact: true }).waitFor();
  expect(readFileSync(path("a.ts"), "utf8")).toBe(lines.join(""));
  await page.getByText("somebody else changed it since: sub/new.txt").waitFor();
  expect(thread.problems).toEqual([]);
});

it("copies a message, goes on from a prompt in a fork, and undoes changes with one", async () => {
  await using thread = await tests.openThread();
  const { page, screen, threadId, folder } = thread;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const file = join(folder, "a.txt");
  for (const word of ["one", "two"])
    await run(screen, threadId, { say: `**${word}** done` }, { shell: `echo ${word} > a.txt` });
  const copied = async (button: Locator) => {
    await button.click();
    return await page.evaluate<string>("navigator.clipboard.readText()");
  };
  const answer = page.getByRole("article", { name: "Agent" }).filter({ hasText: "one done" });
  await answer.hover();
  await expect.poll(() => copied(answer.getByRole("button", { name: "Copy" }))).toBe("**one** done");
  const prompt = page.getByRole("article", { name: "You" }).filter({ hasText: "two" });
  await prompt.hover();
  await expect
    .poll(() => copied(prompt.getByRole("button", { name: "Copy" })))
    .toBe(script({ say: "**two** done" }, { shell: "echo two > a.txt" }));

  const before = page.getByRole("region", { name: "Before the fork" });
  const openFork = (old: string) =>
    page.waitForURL(({ hash }) => hash.startsWith("#/thread/") && hash !== `#/thread/${old}`);
  await prompt.getByRole("button", { name: "Fork from here" }).click();
  await openFork(threadId);
  await before.getByText("one done").waitFor();
  expect(await before.getByText("two done").count()).toBe(0);
  expect(readFileSync(file, "utf8")).toBe("two\n");

  await thread.goTo(`#/thread/${threadId}`);
  await prompt.hover();
  await prompt.getByRole("button", { name: "Undo changes since this" }).click();
  const dialog = page.getByRole("dialog", { name: "Undo changes" });
  await dialog.getByLabel("Go on from there in a fork").check();
  await dialog.getByRole("button", { name: "Undo 1 file" }).click();
  await openFork(threadId);
  await before.getByText("one done").waitFor();
  expect(readFileSync(file, "utf8")).toBe("one\n");
  expect(thread.problems).toEqual([]);
});

it("links paths in messages, on cards and in questions to the Changes view, and opens files in the user's editor", async () => {
  const place = mkdtempSync(join(tmpdir(), "signalbox-editor-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const program = join(place, "edit");
  writeFileSync(program, '#!/bin/sh\nprintf "%s|" "$@" > "$0.args"\n');
  chmodSync(program, 0o755);
  await using thread = await tests.openThreadWith({ config: { editor: `${program} {path} {line}` } });
  const { page, screen, threadId, folder } = thread;
  writeFileSync(join(folder, "same.ts"), "same\n");
  const path = join(folder, "src/a.ts");
  const said = `See \`src/a.ts:3\`, \`missing.ts\`, \`/etc/passwd\` and [this one](same.ts#L7), not [that](gone.ts).`;
  const turnId = await submit(
    screen,
    threadId,
    { say: said },
    { shell: "mkdir src; printf 'a\\nb\\nc\\n' > src/a.ts" },
    toolCall("r1", { title: "Read it", kind: "read", status: "completed", locations: [{ path, line: 2 }] }),
  );
  await turnEnd(screen, turnId);
  const message = page.getByRole("article", { name: "Agent" });
  // The file came after it was named.
  await message.getByRole("link", { name: "src/a.ts:3" }).click();
  const file = page.getByRole("article", { name: "src/a.ts", exact: true });
  await file.waitFor();
  await expect.poll(() => page.url()).toContain("file=src%2Fa.ts&line=3");
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "src/a.ts:2" }).click();
  await file.waitFor();
  await page.goBack();
  await expect.poll(() => message.getByRole("link").allInnerTexts()).toEqual(["src/a.ts:3", "this one"]);

  await thread.goTo("#/settings");
  await chooseOption(page.getByLabel("Open files in"), "edit, started by Signalbox");
  await thread.goTo(`#/thread/${threadId}`);
  await message.getByRole("link", { name: "this one" }).click();
  await page.getByText("same.ts was not changed by this thread.").waitFor();
  await page.locator(".asked-file").getByRole("button", { name: "Open in editor" }).click();
  await expect
    .poll(() => existsSync(`${program}.args`) && readFileSync(`${program}.args`, "utf8"))
    .toBe(`${join(folder, "same.ts")}|7|`);
  expect(thread.problems).toEqual([]);
});
