// Search across threads, find in a thread, the command palette, the thread list and the event log.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { askPermission, toolCall } from "../support/fake-agent/script.ts";
import { run, submit, viewOf } from "../support/fake-host.ts";
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
  it("opens the matching item, highlighted, however old it is", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    await run(screen, threadId, { say: "the needle is here" }, toolCall("c0"), { say: "and on" });
    const many = Array.from({ length: 300 }, (_, index) => [
      toolCall(`c${index + 1}`, { title: `Straw ${index}`, kind: "read", status: "completed" }),
      { say: `straw ${index}` },
    ]).flat();
    await run(screen, threadId, ...many);
    await page.getByText("straw 299").last().waitFor();
    expect(await page.getByText("needle is here").count()).toBe(0);
    await page.getByRole("region", { name: "Timeline" }).focus();
    await page.keyboard.press("/");
    await page.getByLabel("Search everything").fill("needle");
    const hit = page.locator(".hits a", { hasText: "is here" });
    await hit.first().waitFor();
    expect(await hit.first().locator("mark").innerText()).toBe("needle");
    await page.getByLabel("Search everything").press("Enter");
    await page.getByRole("article", { name: "Agent" }).getByText("needle is here").waitFor();
    await expect.poll(() => inSight(page, "the needle is here")).toBe(true);
    expect(await page.evaluate("CSS.highlights.get('found').size > 0")).toBe(true);
    // And back to the end of the thread.
    await page.getByRole("button", { name: /Go to the end/ }).click();
    await page.getByText("straw 299").last().waitFor();
    expect(thread.problems).toEqual([]);
  });

  it("opens at the match in the middle of a long thread, and stays there while earlier items load", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    for (const start of [0, 300]) {
      const steps = Array.from({ length: 300 }, (_, index) => [
        toolCall(`c${start + index}`, { title: `Step ${start + index}`, kind: "read", status: "completed" }),
        { say: `Message number ${start + index}.` },
      ]).flat();
      await run(screen, threadId, ...steps);
    }
    const { timeline: items } = viewOf(screen.received, threadId);
    const seq = items.find((item) => item.type === "message" && item.text === "Message number 250.")?.seq ?? 0;
    for (const open of [() => thread.goTo(`#/thread/${threadId}?at=${seq}`), () => page.reload()]) {
      await open();
      await page.locator("[data-marked]").getByText("Message number 250.").waitFor();
      await expect.poll(() => inSight(page, "Message number 250.")).toBe(true);
    }
    // Scroll up until earlier items are loaded: what is in view stays in view.
    const timeline = page.locator(".timeline");
    const heightBefore = await timeline.evaluate((box) => box.scrollHeight);
    // With the wheel a person ends the jump, also one that has not settled yet.
    await timeline.dispatchEvent("wheel");
    await timeline.evaluate((box) => (box.scrollTop = 300));
    // Until the list has drawn what is there now.
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    const reading = () =>
      timeline.evaluate((box) => {
        const top = box.getBoundingClientRect().top;
        return [...box.querySelectorAll(".place")].find((each) => each.getBoundingClientRect().bottom > top + 5)
          ?.textContent;
      });
    const before = await reading();
    await expect.poll(() => timeline.evaluate((box) => box.scrollHeight)).toBeGreaterThan(heightBefore + 1000);
    expect(await reading()).toBe(before);
  });

  it("takes every letter after the key for search, and none of them answers a question", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const remove = toolCall("c1", { title: "`rm`", kind: "execute", rawInput: { command: "rm -rf important" } });
    await submit(screen, threadId, remove, askPermission("c1"));
    await page.getByRole("group", { name: "Question" }).getByText("rm -rf important").waitFor();
    // The view was never open, the focus is in the list, and there is no pause between the keys.
    for (const opened of ["first", "second"]) {
      await page.locator("a.thread").first().focus();
      await page.keyboard.type("/and network");
      expect(await page.getByLabel("Search everything").inputValue(), opened).toBe("and network");
      await thread.goTo();
    }
    expect(viewOf(screen.received, threadId).permissions).toMatchObject([{ status: "pending" }]);
  });

  it("goes to both ends of a long thread at the press of a key, and Back returns to where one was reading", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    await run(screen, threadId, { say: "the very first words" });
    const many = Array.from({ length: 350 }, (_, index) => [
      toolCall(`c${index}`, { title: `Straw ${index}`, kind: "read", status: "completed" }),
      { say: `straw number ${index}.` },
    ]).flat();
    await run(screen, threadId, ...many);
    await thread.goTo("#/");
    await thread.goTo();
    await page.getByText("straw number 349.").last().waitFor();
    const timeline = page.getByRole("region", { name: "Timeline" });
    await timeline.focus();
    await page.keyboard.press("Home");
    await expect.poll(() => inSight(page, "the very first words")).toBe(true);
    await page.keyboard.press("End");
    await expect.poll(() => inSight(page, "straw number 349.")).toBe(true);
    // Scroll up to an item, open another view, and come back.
    const box = await timeline.boundingBox();
    await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 200);
    await page.mouse.wheel(0, -4000);
    const reading = () =>
      timeline.evaluate((scroller) => {
        const { top } = scroller.getBoundingClientRect();
        const first = [...scroller.querySelectorAll(".place")].find(
          (place) => place.getBoundingClientRect().bottom > top + 2,
        );
        return first?.textContent ?? "";
      });
    await expect.poll(() => page.evaluate("history.state !== null")).toBe(true);
    const before = await reading();
    expect(before).not.toBe("");
    await page.getByRole("link", { name: "Statistics" }).click();
    await page.getByRole("heading", { name: "Statistics" }).waitFor();
    await page.goBack();
    await expect.poll(reading).toBe(before);
    expect(thread.problems).toEqual([]);
  });

  it("works within a thread, and by the palette", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    await run(screen, threadId, { say: `first apple\n\n${"filler\n\n".repeat(60)}` }, toolCall("c1"), {
      say: "last apple",
    });
    await page.getByText("last apple").last().waitFor();
    await page.keyboard.press("Control+f");
    await page.getByLabel("Find in this thread").fill("apple");
    await page.locator(".find-bar").getByText("3", { exact: true }).waitFor();
    await page.getByLabel("Find in this thread").press("Enter");
    await page.getByLabel("Find in this thread").press("Enter");
    await expect.poll(() => inSight(page, "first apple")).toBe(true);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.getByLabel("Command or thread").fill("stat");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Statistics" }).waitFor();
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
    await page.getByLabel("Filter threads").fill("fer");
    await expect.poll(() => page.locator(".thread-row").count()).toBe(1);
    await page.getByLabel("Filter threads").fill("");
    await row.getByRole("button", { name: "More for Ferry" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await row.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Undo" }).click();
    await row.waitFor();
    await row.getByRole("button", { name: "More for Ferry" }).click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await row.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Archived threads" }).click();
    await row.waitFor();
  });

  it("that do not exist show an error and a link back", async () => {
    await using thread = await tests.openThread();
    const { page } = thread;
    await page.goto(`http://127.0.0.1:${thread.host.process.ready.port}/#/thread/no-such-thread`);
    await page.reload();
    await page.getByRole("alert").waitFor();
    await page.getByRole("main").getByRole("link", { name: "All threads" }).click();
    await page.getByLabel("First prompt", { exact: true }).waitFor();
  });

  it("show their raw events with the JSON as sent", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    await run(screen, threadId, { update: { sessionUpdate: "vendor_news", _meta: { kept: "yes" } } });
    await thread.goTo(`#/thread/${threadId}/events`);
    await page.getByLabel("Kind").selectOption("vendor_news");
    await page.locator(".event").click();
    await page.getByText('"kept": "yes"').waitFor();
  });
});
