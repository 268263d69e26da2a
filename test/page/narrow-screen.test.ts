// Long texts on a narrow screen: everything needed for a decision is visible and can be reached.
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { askPermission, toolCall } from "../support/fake-agent/script.ts";
import { run, submit } from "../support/fake-host.ts";
import { pageTests } from "./open-thread.ts";

const tests = pageTests();

const phone = { viewport: { width: 390, height: 800 } };
const long = "averylongname".repeat(20);
/** Whether it is completely on the screen. */
const isWhole = (place: Locator) =>
  place.evaluate((element) => {
    const { left, right } = element.getBoundingClientRect();
    const { clientWidth } = element.ownerDocument.documentElement;
    return left >= 0 && right <= clientWidth && element.scrollWidth <= element.clientWidth;
  });
/** The chips in the head that are not completely on the screen. */
const truncatedChips = (page: Page) =>
  page.locator(".head .chip:visible").evaluateAll((chips) =>
    chips
      .filter((chip) => {
        const { left, right } = chip.getBoundingClientRect();
        const { clientWidth } = chip.ownerDocument.documentElement;
        return left < 0 || right > clientWidth || chip.scrollWidth > chip.clientWidth;
      })
      .map((chip) => chip.textContent),
  );
const focused = (page: Page) => page.evaluate("document.activeElement.getAttribute('aria-label')");

describe("on a narrow screen", () => {
  it("a queued prompt of any length can be edited and removed", async () => {
    await using thread = await tests.openThread(phone);
    const { page, screen, threadId } = thread;
    await submit(screen, threadId, { say: "working" }, { wait: 60_000 });
    await page.locator(".chip.state", { hasText: "working" }).waitFor();
    await thread.prompt.fill(long);
    await thread.prompt.press("Enter");
    const queued = page.getByRole("list", { name: "Queued prompts" }).getByRole("listitem");
    await queued.waitFor();
    for (const name of ["Edit", "Remove"])
      await expect.poll(() => isWhole(queued.getByRole("button", { name }))).toBe(true);
  });

  it("many answers with long names and many queued prompts leave room for the prompt and the Stop button", async () => {
    await using thread = await tests.openThread(phone);
    const { page, screen, threadId } = thread;
    // Several ways to say yes once: each has a button.
    const others = Array.from({ length: 9 }, (_, index) => ({ optionId: `${index}`, name: long, kind: "allow_once" }));
    const options = [{ optionId: "yes", name: `Allow ${long}`, kind: "allow_once" }, ...others];
    const ask = { ask: "session/request_permission", params: { toolCall: { toolCallId: "c1" }, options } };
    await submit(screen, threadId, toolCall("c1", { title: "Build", kind: "execute" }), ask);
    const answer = page.getByRole("group", { name: "Question" }).getByRole("button", { name: `Allow ${long}` });
    await answer.waitFor();
    for (let count = 0; count < 20; count++) await submit(screen, threadId, { say: "queued" });
    await expect.poll(() => page.getByRole("list", { name: "Queued prompts" }).getByRole("listitem").count()).toBe(20);
    await expect.poll(() => isWhole(answer)).toBe(true);
    for (const place of [thread.prompt, page.getByRole("button", { name: "Stop" })]) {
      const isInside = async () => {
        const { y, height } = (await place.boundingBox()) ?? { y: Number.NaN, height: 0 };
        return y > 0 && y + height <= phone.viewport.height;
      };
      await expect.poll(isInside).toBe(true);
    }
  });

  it("the whole path of a file is shown in the permission card", async () => {
    await using thread = await tests.openThread(phone);
    const { page, screen, threadId } = thread;
    const path = `${thread.folder}/${long}.ts`;
    const content = [{ type: "diff", path, oldText: "a\n", newText: "b\n" }];
    await submit(
      screen,
      threadId,
      toolCall("c1", { title: `Edit ${long}.ts`, kind: "edit", content }),
      askPermission("c1"),
    );
    const shown = page.getByRole("group", { name: "Question" }).locator(".file-name");
    await shown.waitFor();
    await expect.poll(() => shown.innerText()).toBe(`${long}.ts`);
    await expect.poll(() => isWhole(shown)).toBe(true);
  });

  it("the head keeps its title and its menu while another thread waits", async () => {
    await using waiting = await tests.openThread();
    const make = toolCall("c1", { title: "`make`", kind: "execute", rawInput: { command: "make" } });
    await submit(waiting.screen, waiting.threadId, make, askPermission("c1"));
    await using thread = await tests.openThread({ viewport: { width: 820, height: 700 } });
    const { page, screen, threadId } = thread;
    const updates = { title: "A title of some length for this thread" };
    await screen.request({ control: "tvx.update_thread", thread_id: threadId, updates });
    await page.getByRole("link", { name: /1 waiting/ }).waitFor();
    const title = page.getByRole("heading", { name: updates.title });
    await title.waitFor();
    // The details take room too.
    const details = page.getByRole("button", { name: "Details", exact: true });
    await page.setViewportSize({ width: 1280, height: 700 });
    const panel = page.getByRole("complementary", { name: "Details" });
    if ((await panel.count()) === 0) await details.click();
    await panel.waitFor();
    await expect.poll(async () => (await title.boundingBox())?.width).toBeGreaterThan(200);
    await expect.poll(() => isWhole(page.locator(".head").getByRole("button", { name: /^More for/ }))).toBe(true);
    await details.click();
    for (const width of [820, 390]) {
      await page.setViewportSize({ width, height: 700 });
      await expect.poll(async () => (await title.boundingBox())?.width).toBeGreaterThan(80);
      await expect.poll(() => isWhole(page.locator(".head").getByRole("button", { name: /^More for/ }))).toBe(true);
      await expect.poll(() => truncatedChips(page)).toEqual([]);
      await expect.poll(() => page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    }
  });

  it("the key help opens, and the palette has the focus", async () => {
    await using thread = await tests.openThread(phone);
    const { page } = thread;
    await page.getByRole("region", { name: "Timeline" }).focus();
    await page.keyboard.press("Alt+/");
    await page.getByRole("dialog", { name: "Keys" }).locator("kbd").first().waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await expect.poll(() => focused(page)).toBe("Command or thread");
    await page.keyboard.type("statis");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Statistics" }).waitFor();
  });

  it("an empty thread says so, and matches of find are highlighted", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    await page.getByText("No messages yet").waitFor();
    await run(screen, threadId, { say: "red apples and green apples" });
    await expect.poll(() => page.getByText("No messages yet").count()).toBe(0);
    await page.keyboard.press("Control+f");
    await page.getByLabel("Find in this thread").fill("green apples");
    // In the prompt, which is the script, and in the answer.
    await expect.poll(() => page.evaluate("CSS.highlights.get('found')?.size")).toBe(2);
  });
});
