// Finding, looking and moving about, in a real Chromium against a real host: search to the very place, find in a thread, palette, list.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser } from "../support/browser.ts";
import { askForm, askPermission, askUrl, toolCall, toolCallUpdate } from "../support/fake-agent/script.ts";
import { run, submit } from "../support/fake-host.ts";
import { ferryStory } from "./ferry-story.ts";
import { OpenThread } from "./open-thread.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

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
  it("leads from words to the very place, marked, however old it is", async () => {
    await using thread = await OpenThread.start(browser);
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
    // And back to where the thread is now.
    await page.getByRole("button", { name: /Back to the newest/ }).click();
    await page.getByText("straw 299").last().waitFor();
    expect(thread.problems).toEqual([]);
  });

  it("works within a thread, and by the palette", async () => {
    await using thread = await OpenThread.start(browser);
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
  it("are renamed, archived, filtered, and deleted with a way back", async () => {
    await using thread = await OpenThread.start(browser);
    const { page, screen } = thread;
    await page.keyboard.press("F2");
    await page.getByLabel("Name of the thread").fill("Ferry");
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

  it("that are not there say so, and lead back", async () => {
    await using thread = await OpenThread.start(browser);
    const { page } = thread;
    await page.goto(`http://127.0.0.1:${thread.host.process.ready.port}/#/thread/no-such-thread`);
    await page.reload();
    await page.getByRole("alert").waitFor();
    await page.getByRole("main").getByRole("link", { name: "All threads" }).click();
    await page.getByLabel("First prompt", { exact: true }).waitFor();
  });

  it("show their raw events with the JSON as it was sent", async () => {
    await using thread = await OpenThread.start(browser);
    const { page, screen, threadId } = thread;
    await run(screen, threadId, { update: { sessionUpdate: "vendor_news", _meta: { kept: "yes" } } });
    await thread.open(`#/thread/${threadId}/register`);
    await page.getByLabel("Kind").selectOption("vendor_news");
    await page.locator(".event").click();
    await page.getByText('"kept": "yes"').waitFor();
  });
});

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Names of rules that are broken, with where. In the dark only the colours are different. */
async function violations(page: Page, colorScheme: "light" | "dark"): Promise<unknown> {
  if (await page.evaluate("globalThis.axe === undefined")) await page.evaluate(axe);
  const rules = colorScheme === "dark" ? { runOnly: ["color-contrast"] } : {};
  return await page.evaluate(
    `axe.run(document, ${JSON.stringify(rules)}).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", ")))`,
  );
}

const everyField = {
  text: { type: "string", title: "Text", description: "Words" },
  number: { type: "number", title: "Number" },
  choice: { type: "string", title: "Choice", enum: ["a", "b"] },
  choices: { type: "array", title: "Choices", items: { enum: ["a", "b"] } },
  sure: { type: "boolean", title: "Sure" },
  day: { type: "string", title: "Day", format: "date" },
};

describe.each(["light", "dark"] as const)("accessibility in %s", (colorScheme) => {
  it("has no violation in any view", async () => {
    await using thread = await OpenThread.start(browser, {}, { colorScheme, reducedMotion: "reduce" });
    const { page, screen, threadId } = thread;
    await submit(screen, threadId, ...ferryStory(thread.host.project));
    await page.getByRole("group", { name: "Question" }).waitFor();
    await page.locator(".diff").waitFor();
    const found: Record<string, unknown> = { thread: await violations(page, colorScheme) };
    await page.keyboard.press("Control+k");
    found.palette = await violations(page, colorScheme);
    await page.keyboard.press("Escape");
    await page.getByRole("region", { name: "Timeline" }).focus();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    found.keys = await violations(page, colorScheme);
    await page.keyboard.press("Escape");
    await page
      .locator(".head")
      .getByRole("button", { name: /^More for/ })
      .click();
    found.menu = await violations(page, colorScheme);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Allow once" }).click();
    await page.getByRole("article", { name: "Agent" }).getByText("The package is fine.").waitFor();
    const ofTask = { kind: "read", status: "failed", _meta: { claudeCode: { parentToolUseId: "task" } } };
    await run(screen, threadId, toolCall("task"), toolCall("of-task", ofTask));
    await page.getByRole("button", { name: /^Sub-agent: 1 call/ }).click();
    found.subAgent = await violations(page, colorScheme);
    await submit(screen, threadId, askForm(everyField, { required: ["text"] }));
    await page.getByRole("button", { name: /^Send A/ }).click();
    await page.getByText("This is required.").waitFor();
    found.form = await violations(page, colorScheme);
    await page.getByRole("button", { name: /^Decline/ }).click();
    await page.getByRole("article", { name: "Question: declined" }).waitFor();
    await submit(screen, threadId, askUrl("https://example.com/login"));
    await page.getByRole("link", { name: "Open this address" }).waitFor();
    found.address = await violations(page, colorScheme);
    await page.keyboard.press("Control+f");
    await page.getByLabel("Find in this thread").fill("retry");
    found.find = await violations(page, colorScheme);
    for (const view of ["", "search?words=retry", `thread/${threadId}/register`, "statistics", "settings"]) {
      await thread.open(`#/${view}`);
      await page.locator("h1").waitFor();
      await page.waitForLoadState("networkidle");
      found[view] = await violations(page, colorScheme);
    }
    expect(Object.entries(found).filter(([, broken]) => (broken as unknown[]).length > 0)).toEqual([]);
  });
});

describe("a phone", () => {
  it("shows the thread alone, decides with a thumb, and nothing is wider than the screen", async () => {
    await using thread = await OpenThread.start(browser, {}, { viewport: { width: 390, height: 780 }, hasTouch: true });
    const { page, screen, threadId } = thread;
    expect(await page.getByRole("complementary", { name: "State of things" }).count()).toBe(0);
    await submit(
      screen,
      threadId,
      toolCall("c1", { title: "`make`", kind: "execute", rawInput: { command: `make ${"x".repeat(300)}` } }),
      askPermission("c1"),
      toolCallUpdate("c1", { status: "completed" }),
    );
    await page.getByRole("button", { name: "Allow once" }).tap();
    await page.getByText("done").last().waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    expect(await page.getByRole("navigation", { name: "Threads" }).isVisible()).toBe(false);
    await page.getByRole("link", { name: "All threads" }).tap();
    await page.getByRole("navigation", { name: "Threads" }).waitFor();
  });
});
