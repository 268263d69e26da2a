// Accessibility of every view with axe, in light and dark, and use on a phone.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { askForm, askPermission, askUrl, toolCall, toolCallUpdate } from "../support/fake-agent/script.ts";
import { run, submit } from "../support/fake-host.ts";
import { isLong } from "../support/rounds.ts";
import { contrastProblems } from "./contrast-problems.ts";
import { exampleThread } from "./example-thread.ts";
import { pageTests } from "./open-thread.ts";

const tests = pageTests();

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Costs axe more than all its other rules, and it leaves most texts undecided: `contrastProblems` decides each. */
const axesContrast = "color-contrast";

/** The violated rules and where, in light and in dark, where only the colours differ. */
async function violations(page: Page): Promise<readonly unknown[]> {
  if (await page.evaluate("globalThis.axe === undefined")) await page.evaluate(axe);
  const brokenRules = (rules: object) =>
    page.evaluate<unknown[]>(
      `axe.run(document, ${JSON.stringify(rules)}).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", ")))`,
    );
  const inLight = [
    ...(await brokenRules({ rules: { [axesContrast]: { enabled: isLong } } })),
    ...(await contrastProblems(page)),
  ];
  await page.emulateMedia({ colorScheme: "dark" });
  const inDark = [...(isLong ? await brokenRules({ runOnly: [axesContrast] }) : []), ...(await contrastProblems(page))];
  await page.emulateMedia({ colorScheme: "light" });
  return [...inLight, ...inDark.map((broken) => `dark: ${String(broken)}`)];
}

const everyField = {
  text: { type: "string", title: "Text", description: "Words" },
  number: { type: "number", title: "Number" },
  choice: { type: "string", title: "Choice", enum: ["a", "b"] },
  choices: { type: "array", title: "Choices", items: { enum: ["a", "b"] } },
  sure: { type: "boolean", title: "Sure" },
  day: { type: "string", title: "Day", format: "date" },
};

describe("accessibility", () => {
  it("has no violation in any view, in light and in dark", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await submit(screen, threadId, ...exampleThread(thread.folder));
    await page.getByRole("group", { name: "Question" }).waitFor();
    await page.locator(".diff").waitFor();
    // What is still being drawn is looked at again.
    const check = (view: string) => expect.poll(() => violations(page), { message: view }).toEqual([]);
    await check("thread");
    await page.keyboard.press("Control+k");
    await page.getByLabel("Command or thread").waitFor();
    await check("palette");
    await page.keyboard.press("Escape");
    await page.getByRole("region", { name: "Timeline" }).focus();
    await page.keyboard.press("Alt+/");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await check("keys");
    await page.keyboard.press("Escape");
    await page
      .locator(".head")
      .getByRole("button", { name: /^More for/ })
      .click();
    await page.getByRole("menuitem", { name: "Rename" }).waitFor();
    await check("menu");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Allow once" }).click();
    await page.getByRole("article", { name: "Agent" }).getByText("The package is fine.").waitFor();
    const ofTask = { kind: "read", status: "failed", _meta: { claudeCode: { parentToolUseId: "task" } } };
    await run(screen, threadId, toolCall("task"), toolCall("of-task", ofTask));
    await page.getByRole("button", { name: /^Sub-agent: 1 failed/ }).click();
    await page.locator(".place[data-depth='1']").first().waitFor();
    await check("subAgent");
    await submit(screen, threadId, askForm(everyField, { required: ["text"] }));
    await page.getByRole("button", { name: /^Send A/ }).click();
    await page.getByText("This is required.").waitFor();
    await check("form");
    await page.getByRole("button", { name: /^Decline/ }).click();
    await page.getByRole("article", { name: "Question: declined" }).waitFor();
    await submit(screen, threadId, askUrl("https://example.com/login"));
    await page.getByRole("link", { name: "Open" }).waitFor();
    await check("address");
    await page.keyboard.press("Control+f");
    await page.getByLabel("Find in this thread").fill("retry");
    await check("find");
    for (const [view, title] of [
      ["", "What do you want to do?"],
      ["search?words=retry", "Search"],
      [`thread/${threadId}/events`, "Event log"],
      ["statistics", "Statistics"],
      ["settings", "Settings"],
    ] as const) {
      await thread.goTo(`#/${view}`);
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
      await check(view);
    }
    const other = await thread.host.thread(screen, thread.folder);
    await page.setViewportSize({ width: 1600, height: 900 });
    await thread.goTo(`#/thread/${threadId}?beside=${other}`);
    await page.getByRole("group", { name: "Right thread" }).getByText("No messages yet.").waitFor();
    await check("two threads");
  });
});

describe("the keyboard", () => {
  it("skips the list of threads, and a clicked timeline has no frame", async () => {
    await using thread = await tests.openThread();
    const { page } = thread;
    const focusedText = () => page.evaluate("document.activeElement.textContent");
    // The prompt has the focus; the skip link is the first stop of the page.
    await page.evaluate("document.activeElement.blur()");
    await page.locator(".skip-link").focus();
    await expect.poll(focusedText).toBe("Skip to content");
    await page.keyboard.press("Enter");
    // In a thread the content is the conversation; elsewhere it is the view.
    await expect.poll(() => page.evaluate("document.activeElement.ariaLabel")).toBe("Timeline");
    // Without it, the list is one stop, however many threads there are.
    for (let each = 0; each < 3; each++) await thread.host.thread(thread.screen, thread.folder);
    await expect.poll(() => page.locator("a.thread").count()).toBeGreaterThan(3);
    await page.locator(".skip-link").focus();
    let stops = 0;
    while ((await page.evaluate("document.activeElement.closest('main') === null")) && stops < 20) {
      await page.keyboard.press("Tab");
      stops++;
    }
    expect(stops).toBeLessThanOrEqual(10);
    // Arrow keys go through it.
    const first = page.locator("a.thread").first();
    await first.focus();
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => page.evaluate("document.activeElement.className")).toBe("thread");
    await expect.poll(() => first.evaluate((link) => link.ownerDocument.activeElement === link)).toBe(false);
    const timeline = page.getByRole("region", { name: "Timeline" });
    const frame = () => timeline.evaluate((box) => box.ownerDocument.defaultView?.getComputedStyle(box).outlineStyle);
    await timeline.click();
    await page.keyboard.press("Shift");
    await expect.poll(frame).toBe("none");
    await timeline.evaluate((box) => box.blur());
    await page.keyboard.press("Tab");
    await timeline.focus();
    await expect.poll(frame).not.toBe("none");
    // The menu of a thread opens by a key, and returns the focus to its button.
    await page.locator("a.thread[aria-current]").focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(focusedText).toBe("Rename");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.evaluate("document.activeElement.ariaHasPopup")).toBe("menu");
    await page.keyboard.press("Shift+Tab");
    await expect.poll(() => page.evaluate("document.activeElement.className")).toBe("thread");
    await page.keyboard.press("Tab");
    await expect.poll(focusedText).toBe("Archived threads");
  });

  it("is not needed to know what happens: a screen reader is told of a question once, and of the end", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    await page.evaluate(`{
      const status = document.querySelector(".visually-hidden[role=status]");
      window.announced = [];
      new MutationObserver(() => window.announced.push(status.textContent))
        .observe(status, { childList: true, characterData: true, subtree: true });
    }`);
    await submit(screen, threadId, askPermission("c1", { kind: "execute", rawInput: { command: "make" } }));
    await page.getByRole("button", { name: /^Deny/ }).click();
    await expect.poll(() => page.evaluate("window.announced.at(-1)")).toBe("The agent is done.");
    await expect
      .poll(() => page.evaluate("window.announced.filter((text) => text.includes('waiting'))"))
      .toEqual(["1 waiting for you."]);
  });
});

describe("a phone", () => {
  it("shows only the thread, answers by touch, and is never wider than the screen", async () => {
    await using thread = await tests.openThread({ viewport: { width: 390, height: 780 }, hasTouch: true });
    const { page, screen, threadId } = thread;
    await expect.poll(() => page.getByRole("complementary", { name: "Details" }).count()).toBe(0);
    await submit(
      screen,
      threadId,
      toolCall("c1", { title: "`make`", kind: "execute", rawInput: { command: `make ${"x".repeat(300)}` } }),
      askPermission("c1"),
      toolCallUpdate("c1", { status: "completed" }),
    );
    await page.getByRole("button", { name: "Allow once" }).tap();
    await page.locator(".end").getByText("done").waitFor();
    await expect.poll(() => page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await expect.poll(() => page.getByRole("navigation", { name: "Threads" }).isVisible()).toBe(false);
    await page.getByRole("link", { name: "All threads" }).tap();
    await page.getByRole("navigation", { name: "Threads" }).waitFor();
  });
});
