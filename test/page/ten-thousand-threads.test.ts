// The hundredth day: a register of 10,000 threads. The page opens, what waits is on top, any thread is found by its title, and a folder is tidied up.
import { join } from "node:path";
import { openRegister } from "@signalbox/tinyvex";
import { expect, it } from "vitest";
import { askPermission } from "../support/fake-agent/script.ts";
import { submit } from "../support/fake-host.ts";
import { copyThread } from "../support/many-threads.ts";
import { pageTests } from "./open-thread.ts";

/** All of them are newer than what happens in the test. */
const soon = 60 * 60 * 1000;

async function writeThreads(dataFolder: string): Promise<void> {
  const path = join(dataFolder, "signalbox.db");
  const register = await openRegister({ path });
  const { id } = await register.createThread({ agent_id: "fake", cwd: "/far", title: "Far", at: Date.now() + soon });
  await register.close();
  copyThread(path, id, 10_000, 100);
}

const tests = pageTests({ prepare: writeThreads });

it("with 10,000 threads the page opens, scrolls, finds by title, has what waits on top, and archives a folder", async () => {
  await using thread = await tests.openThread();
  const { page, screen, threadId } = thread;
  await screen.request({ control: "tvx.update_thread", thread_id: threadId, updates: { title: "The oldest" } });
  await submit(screen, threadId, askPermission("c1", { kind: "execute", rawInput: { command: "make" } }));
  await page.getByRole("group", { name: "Question" }).waitFor();
  await thread.goTo("#/");
  await page.reload();

  // What waits stands first, and only some of the others are loaded.
  const list = page.getByRole("navigation", { name: "Threads" });
  const rows = list.locator("a.thread");
  await expect.poll(() => rows.first().innerText()).toContain("The oldest");
  await expect.poll(() => rows.nth(1).innerText()).toContain("Thread 10000");
  await expect.poll(() => rows.count()).toBeLessThan(60);
  const folder = list.locator(".folder-section").filter({ has: page.locator("h2[title='/work/99']") });
  await expect.poll(() => folder.getByRole("heading").innerText()).toContain("100");

  // It scrolls to its end, and older threads come by a click.
  const isAtEnd = () =>
    list.locator(".folders").evaluate((box) => {
      box.scrollTop = box.scrollHeight;
      return box.scrollTop + box.clientHeight >= box.scrollHeight - 1;
    });
  await expect.poll(isAtEnd).toBe(true);
  for (const loaded of [200, 400]) {
    await list.getByRole("button", { name: "Older threads" }).click();
    await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(loaded);
  }
  await expect.poll(isAtEnd).toBe(true);

  // Any thread by its title: in the list and in the palette.
  const filter = list.getByLabel("Filter threads");
  await filter.fill("Thread 4321");
  await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining("Thread 4321")]);
  await filter.fill("");
  await page.locator("main").focus();
  await page.keyboard.press("Control+k");
  await page.getByLabel("Command or thread").fill("thread 7654");
  await page.getByRole("option", { name: /^Thread 7654/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Thread 7654" }).waitFor();

  // All finished threads of a folder, also those that are not loaded, with undo.
  await folder.getByRole("heading").hover();
  await folder.getByRole("button", { name: "More for these threads" }).click();
  await page.getByRole("menuitem", { name: "Archive finished threads" }).click();
  await page.getByText("Archived 100 threads of").waitFor();
  await folder.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => folder.getByRole("heading").innerText()).toContain("100");
  expect(thread.problems).toEqual([]);
});
