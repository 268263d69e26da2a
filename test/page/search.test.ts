// Search across threads, find in a thread, the command palette, the thread list and the event log.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { toolCall } from "../support/fake-agent/script.ts";
import { run } from "../support/fake-host.ts";
import { chooseOption } from "./list-box.ts";
import { pageTests } from "./open-thread.ts";

const tests = pageTests();

const inSight = (page: Page, words: string) =>
  page
    .getByRole("article", { name: "Agent" })
    .getByText(words)
    .first()
    .evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return top >= 0 && bottom <= 860;
    });

describe("finding", () => {
  it("works within a thread, and by the palette", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    await run(screen, threadId, { say: `first apple\n\n${"filler\n\n".repeat(60)}` }, toolCall("c1"), {
      say: "last apple",
    });
    await page.getByRole("article", { name: "Agent" }).getByText("last apple").waitFor();
    await page.keyboard.press("Control+f");
    await page.getByLabel("Find in this thread").fill("apple");
    await page.locator(".find-bar").getByText("3", { exact: true }).waitFor();
    await page.getByLabel("Find in this thread").press("Enter");
    await page.getByLabel("Find in this thread").press("Enter");
    await expect.poll(() => inSight(page, "first apple")).toBe(true);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.getByLabel("Command or thread").fill("find in");
    await page.keyboard.press("Enter");
    await page.getByLabel("Find in this thread").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByLabel("Command or thread").fill("stat");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Statistics" }).waitFor();
    // A section of the settings, also by what is in it.
    await page.keyboard.press("Control+k");
    await page.getByLabel("Command or thread").fill("retention");
    await page.keyboard.press("Enter");
    const data = page.getByRole("region", { name: "Data", exact: true });
    await expect.poll(() => data.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await expect.poll(async () => (await data.boundingBox())?.y ?? 9999).toBeLessThan(800);
  });
});

describe("threads", () => {
  it("are renamed, archived, filtered, and deleted with undo", async () => {
    await using thread = await tests.openThread();
    const { page, screen } = thread;
    await page.keyboard.press("F2");
    await page.getByLabel("Thread title").fill("Ferry");
    await page.keyboard.press("Enter");
    const row = page.locator(".thread-row", { hasText: "Ferry" });
    await row.waitFor();
    await thread.host.thread(screen);
    await page.locator(".thread-row").nth(1).waitFor();
    await page.getByLabel("Filter threads").fill("ferry");
    await expect.poll(() => page.locator(".thread-row").count()).toBe(1);
    await page.getByLabel("Filter threads").fill("");
    await row.getByRole("button", { name: "More for Ferry" }).click();
    // On a busy machine, the seconds for Undo could pass before it is clicked: here they never do.
    await page.evaluate(`{
      const real = window.setTimeout;
      window.setTimeout = (run, ms, ...rest) => (ms >= 5000 ? 0 : real(run, ms, ...rest));
      window.putBack = () => { window.setTimeout = real; };
    }`);
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.evaluate("window.putBack()");
    await row.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Undo" }).click();
    await row.waitFor();
    await row.getByRole("button", { name: "More for Ferry" }).click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await row.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Archived threads" }).click();
    await row.waitFor();
  });

  it("that do not exist show an error and a link back; a click on a link shows the next view before the next key can come", async () => {
    await using thread = await tests.openThread();
    const { page } = thread;
    await page.goto(`http://127.0.0.1:${thread.host.process.ready.port}/#/thread/no-such-thread`);
    await page.reload();
    await page.getByRole("alert").waitFor();
    await page.getByRole("main").getByRole("link", { name: "All threads" }).click();
    await page.getByLabel("First prompt", { exact: true }).waitFor();
    const shown = await page.evaluate<string>(`(async () => {
      document.querySelector("footer a[href='#/statistics']").click();
      // No task of the browser comes between these, so no key either.
      for (let turn = 0; turn < 10; turn++) await null;
      return document.querySelector(".app").dataset.page;
    })()`);
    expect(shown).toBe("statistics");
  });

  it("show their raw events with the JSON as sent", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    await run(screen, threadId, { update: { sessionUpdate: "vendor_news", _meta: { kept: "yes" } } });
    await thread.goTo(`#/thread/${threadId}/events`);
    await chooseOption(page.getByLabel("Kind"), "vendor_news");
    await page.locator(".event").click();
    await page.getByText('"kept": "yes"').waitFor();
  });
});
