// A thread in a git worktree of its own, in the browser: started from the form, shown in the head, and deleted only after its work is seen.
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { script } from "../support/fake-agent/script.ts";
import { chooseOption } from "./list-box.ts";
import { pageTests } from "./open-thread.ts";

const tests = pageTests();

it("starts on a branch called like the prompt, shows what is not committed, and asks before that is lost", async () => {
  await using thread = await tests.openThread();
  const { page, folder, screen } = thread;
  execFileSync("bash", [
    "-c",
    `cd "$1" && git init -q -b main . && echo one > a.txt && git add . && git -c user.name=a -c user.email=a@b commit -qm first && echo two > b.txt`,
    "bash",
    folder,
  ]);
  await thread.goTo("#/");
  await chooseOption(page.getByRole("combobox", { name: "Agent", exact: true }), "Fake");
  await page.getByLabel("Folder", { exact: true }).fill(folder);
  await page.getByLabel("New worktree from main").check();
  await page.getByText("1 uncommitted file is not included").waitFor();
  await page.getByLabel("Branch", { exact: true }).fill("try-it");
  const steps = script({ shell: "echo changed > a.txt; echo new > new.txt" });
  await page.getByLabel("First prompt").fill(steps);
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByRole("button", { name: "try-it ±2" }).waitFor();
  const listed = await screen.query("threads.list", { agent_id: "fake" });
  const made = listed.rows.find((row) => "git" in row && row.git?.branch === "try-it");
  if (made === undefined || !("git" in made)) throw new Error("no thread");
  const worktree = made.git?.worktree ?? "";
  expect(existsSync(join(folder, "new.txt"))).toBe(false);
  // Its detail can look again.
  writeFileSync(join(worktree, "third.txt"), "");
  await page.getByRole("button", { name: "try-it ±2" }).click();
  await page.getByRole("dialog", { name: "Branch" }).getByRole("button", { name: "Look again" }).click();
  await page.getByRole("button", { name: "try-it ±3" }).waitFor();

  await page.getByRole("link", { name: "Changes" }).click();
  await page.getByRole("button", { name: "More ways to keep the changes" }).click();
  await page.getByRole("menuitem", { name: "Merge into main here…" }).click();
  const merge = page.getByRole("dialog", { name: "Merge into main" });
  await merge.getByRole("button", { name: "Merge" }).click();
  // Not committed yet: refused, with the files.
  await expect.poll(() => merge.getByRole("listitem").allInnerTexts()).toEqual(["a.txt", "new.txt", "third.txt"]);
  await merge.getByRole("button", { name: "Cancel" }).click();

  await page
    .locator("header.head")
    .getByRole("button", { name: /^More for/ })
    .click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog");
  await expect.poll(() => dialog.getByRole("listitem").allInnerTexts()).toEqual(["a.txt", "new.txt", "third.txt"]);
  expect(existsSync(worktree)).toBe(true);
  await dialog.getByRole("button", { name: "Delete the thread and this work" }).click();
  // The time for Undo ends with the page.
  await page.getByText("Deleted “").waitFor();
  await page.reload();
  await expect.poll(() => existsSync(worktree)).toBe(false);
  expect(thread.problems).toEqual([]);
});
