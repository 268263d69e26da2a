// What is long in places that are small, in a real Chromium: nothing that decides something is cut off, covered or out of reach.
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser } from "../support/browser.ts";
import { askPermission, toolCall } from "../support/fake-agent/script.ts";
import { run, submit } from "../support/fake-host.ts";
import { OpenThread } from "./open-thread.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const phone = { viewport: { width: 390, height: 800 } };
const long = "averylongname".repeat(20);
/** Whether all of it is on the screen. */
const isWhole = (place: Locator) =>
  place.evaluate((element) => {
    const { left, right } = element.getBoundingClientRect();
    const { clientWidth } = element.ownerDocument.documentElement;
    return left >= 0 && right <= clientWidth && element.scrollWidth <= element.clientWidth;
  });
const focused = (page: Page) => page.evaluate("document.activeElement.getAttribute('aria-label')");

describe("in a tight place", () => {
  it("a queued prompt of any length can be edited and removed", async () => {
    await using thread = await OpenThread.start(browser, {}, phone);
    const { page, screen, threadId } = thread;
    await submit(screen, threadId, { say: "working" }, { wait: 60_000 });
    await page.locator(".chip.state", { hasText: "working" }).waitFor();
    await thread.prompt.fill(long);
    await thread.prompt.press("Enter");
    const queued = page.getByRole("list", { name: "Queued prompts" }).getByRole("listitem");
    await queued.waitFor();
    for (const name of ["Edit", "Remove"]) expect(await isWhole(queued.getByRole("button", { name }))).toBe(true);
  });

  it("many answers with long names and many queued prompts leave room for the person to speak and to stop", async () => {
    await using thread = await OpenThread.start(browser, {}, phone);
    const { page, screen, threadId } = thread;
    const always = Array.from({ length: 9 }, (_, index) => ({
      optionId: `${index}`,
      name: long,
      kind: "allow_always",
    }));
    const options = [{ optionId: "yes", name: `Allow ${long}`, kind: "allow_once" }, ...always];
    const ask = { ask: "session/request_permission", params: { toolCall: { toolCallId: "c1" }, options } };
    await submit(screen, threadId, toolCall("c1", { title: "Build", kind: "execute" }), ask);
    const answer = page.getByRole("group", { name: "Question" }).getByRole("button", { name: `Allow ${long}` });
    await answer.waitFor();
    for (let count = 0; count < 20; count++) await submit(screen, threadId, { say: "queued" });
    await expect.poll(() => page.getByRole("list", { name: "Queued prompts" }).getByRole("listitem").count()).toBe(20);
    expect(await isWhole(answer)).toBe(true);
    for (const place of [thread.prompt, page.getByRole("button", { name: "Stop" })]) {
      const { y, height } = (await place.boundingBox()) ?? { y: Number.NaN, height: 0 };
      expect(y).toBeGreaterThan(0);
      expect(y + height).toBeLessThanOrEqual(phone.viewport.height);
    }
  });

  it("the whole path of a file is read before it is decided on", async () => {
    await using thread = await OpenThread.start(browser, {}, phone);
    const { page, screen, threadId } = thread;
    const path = `${thread.host.project}/${long}.ts`;
    const content = [{ type: "diff", path, oldText: "a\n", newText: "b\n" }];
    await submit(
      screen,
      threadId,
      toolCall("c1", { title: `Edit ${long}.ts`, kind: "edit", content }),
      askPermission("c1"),
    );
    const shown = page.getByRole("group", { name: "Question" }).locator(".path");
    await shown.waitFor();
    expect(await shown.innerText()).toBe(`${long}.ts`);
    expect(await isWhole(shown)).toBe(true);
    // The words end before the button that stands beside them.
    const ends = await shown.evaluate((element) => {
      const range = element.ownerDocument.createRange();
      range.selectNodeContents(element);
      return range.getBoundingClientRect().right;
    });
    const button = await page
      .getByRole("group", { name: "Question" })
      .getByRole("button", { name: "Side by side" })
      .boundingBox();
    expect(ends).toBeLessThanOrEqual(button?.x ?? 0);
  });

  it("the keys are said on a narrow screen too, and the palette takes words at once", async () => {
    await using thread = await OpenThread.start(browser, {}, phone);
    const { page } = thread;
    await page.getByRole("region", { name: "Timeline" }).focus();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).locator("kbd").first().waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await expect.poll(() => focused(page)).toBe("Command or thread");
    await page.keyboard.type("statis");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Statistics" }).waitFor();
  });

  it("a thread without anything says what to do, and what is found is marked as it was typed", async () => {
    await using thread = await OpenThread.start(browser);
    const { page, screen, threadId } = thread;
    await page.getByText("Nothing has happened here yet").waitFor();
    await run(screen, threadId, { say: "red apples and green apples" });
    expect(await page.getByText("Nothing has happened here yet").count()).toBe(0);
    await page.keyboard.press("Control+f");
    await page.getByLabel("Find in this thread").fill("green apples");
    // In the prompt, which is the script, and in the answer.
    await expect.poll(() => page.evaluate("CSS.highlights.get('found')?.size")).toBe(2);
  });
});
