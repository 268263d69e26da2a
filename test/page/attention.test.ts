// What reaches a person who looks elsewhere, and what must not disturb one who looks: in a real Chromium against a real host.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser, openPage } from "../support/browser.ts";
import { askForm, askPermission, toolCall, toolCallUpdate } from "../support/fake-agent/script.ts";
import { run, submit, turnEnd, viewOf } from "../support/fake-host.ts";
import { OpenThread } from "./open-thread.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

/** Notifications as the page makes them, and a page that nobody looks at: what headless Chromium does not show. */
async function listen(page: Page): Promise<void> {
  await page.addInitScript(`
    window.told = [];
    window.Notification = class extends EventTarget {
      static permission = "granted";
      static requestPermission = async () => "granted";
      constructor(title, options) { super(); window.told.push({ title, ...options }); window.lastNote = this; }
    };
    Object.defineProperty(document, "visibilityState", { get: () => window.isLookedAt ? "visible" : "hidden" });
    window.isLookedAt = true;
  `);
  await page.reload();
}

const told = (page: Page) => page.evaluate<{ title: string; body: string }[]>("window.told");
const make = toolCall("c1", { title: "`make`", kind: "execute", rawInput: { command: "make" } });

describe("a browser notification", () => {
  it("comes for permissions and for forms while nobody looks, when it is wanted, and leads to the thread", async () => {
    await using thread = await OpenThread.start(browser);
    const { page, screen, threadId } = thread;
    await listen(page);
    await thread.open("#/settings");
    await page.getByLabel(/notif/i).check();
    await page.evaluate("window.isLookedAt = false");
    const first = await submit(screen, threadId, make, askPermission("c1"), askForm({ port: { type: "integer" } }));
    await expect.poll(() => told(page)).toMatchObject([{ title: "Fake waits for you" }]);
    const [question] = viewOf(screen.received, threadId).permissions;
    const permission_id = question?.permission_id ?? "";
    await screen.request({ control: "permission.respond", thread_id: threadId, permission_id, option_id: "yes" });
    await expect.poll(async () => (await told(page)).length).toBe(2);
    await page.evaluate("window.lastNote.dispatchEvent(new Event('click'))");
    await page.getByRole("group", { name: "Question" }).getByText("Which port?").waitFor();
    // While somebody looks, the page itself is enough.
    await page.evaluate("window.isLookedAt = true");
    await page.getByRole("button", { name: /^Cancel/ }).click();
    await turnEnd(screen, first);
    const second = await submit(screen, threadId, make, askPermission("c1"));
    await page.getByRole("group", { name: "Question" }).getByText("$ make").waitFor();
    await expect.poll(() => page.title()).toContain("(1)");
    expect((await told(page)).length).toBe(2);
    await page.getByRole("button", { name: "Reject" }).click();
    await turnEnd(screen, second);
  });
});

describe("two devices", () => {
  it("that answer at the same moment: one answer counts, the other is told, and both agree", async () => {
    await using thread = await OpenThread.start(browser);
    const { page, screen, threadId, host } = thread;
    const { page: phone } = await openPage(browser, host.process.ready.url, { viewport: { width: 400, height: 800 } });
    await phone.goto(page.url());
    const turnId = await submit(screen, threadId, make, askPermission("c1"));
    await Promise.all([page, phone].map((each) => each.getByRole("button", { name: "Reject" }).waitFor()));
    await Promise.allSettled([
      page.getByRole("button", { name: "Reject" }).click({ timeout: 2000 }),
      phone.getByRole("button", { name: "Allow once" }).click({ timeout: 2000 }),
    ]);
    await turnEnd(screen, turnId);
    const [decided] = viewOf(screen.received, threadId).permissions;
    const word = decided?.status === "allowed" ? "allowed" : "denied";
    for (const each of [page, phone]) {
      await each.getByRole("group", { name: "Question" }).waitFor({ state: "hidden" });
      await each.locator(".tool .right", { hasText: word }).waitFor();
    }
    await phone.context().close();
  });
});

describe("nothing jumps", () => {
  it("while text, thoughts, tool calls and a plan stream in, for one who reads above and for one who follows", async () => {
    await using thread = await OpenThread.start(browser);
    const { page, screen, threadId } = thread;
    await run(screen, threadId, { say: "A paragraph that is already there.\n\n".repeat(60) });
    await page.evaluate(`
      window.shifts = [];
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          if (!entry.hadRecentInput) window.shifts.push({ value: entry.value, nodes: entry.sources.map((source) => source.node?.className ?? "") });
        }
      }).observe({ type: "layout-shift" });
    `);
    const stream = () =>
      run(
        screen,
        threadId,
        { update: { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "Hm. " } } },
        { say: "# A heading\n\nSome `code` and **more**.\n\n", times: 20 },
        { update: { sessionUpdate: "plan", entries: [{ content: "One", priority: "low", status: "pending" }] } },
        toolCall("c1", { title: "Read", kind: "read", status: "in_progress" }),
        toolCallUpdate("c1", {
          status: "completed",
          content: [{ type: "content", content: { type: "text", text: "x\n".repeat(50) } }],
        }),
        { say: "```ts\nconst a = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n", times: 10 },
      );
    await stream();
    const frame = page.locator(".timeline");
    await frame.evaluate((box) => (box.scrollTop = 300));
    await expect.poll(() => frame.evaluate((box) => box.scrollTop)).toBe(300);
    const reading = () =>
      frame.evaluate((box) => {
        const top = box.getBoundingClientRect().top;
        const place = [...box.querySelectorAll(".place")].find((each) => each.getBoundingClientRect().bottom > top + 5);
        return [place?.getAttribute("data-index"), Math.round(place?.getBoundingClientRect().top ?? 0)];
      });
    const before = await reading();
    await stream();
    await page.getByText("done", { exact: true }).last().waitFor({ state: "attached" });
    expect(await reading()).toEqual(before);
    const shifts = await page.evaluate<{ value: number; nodes: string[] }[]>("window.shifts");
    // What Chromium itself calls good is under 0.1 in a whole visit.
    expect(
      shifts.reduce((sum, { value }) => sum + value, 0),
      JSON.stringify(shifts),
    ).toBeLessThan(0.1);
  });

  it("when something above the place that is read grows or shrinks", async () => {
    await using thread = await OpenThread.start(browser);
    const { page, screen, threadId } = thread;
    const paragraphs = (count: number) => ({ say: "A paragraph that stays where it is.\n\n".repeat(count) });
    const turnId = await submit(
      screen,
      threadId,
      paragraphs(20),
      toolCall("c1", { title: "above", kind: "read", status: "in_progress" }),
      paragraphs(60),
      toolCall("c2", { title: "`go`", kind: "execute", rawInput: { command: "go" } }),
      askPermission("c2"),
      toolCallUpdate("c1", {
        status: "failed",
        content: [{ type: "content", content: { type: "text", text: "a line of an error\n".repeat(30) } }],
      }),
    );
    await page.getByRole("group", { name: "Question" }).waitFor();
    const frame = page.locator(".timeline");
    const card = page.getByRole("article", { name: /^Tool call: above/ });
    // The call stands just above what is in sight.
    await frame.evaluate((box) => (box.scrollTop = 0));
    await card.waitFor({ state: "attached" });
    await expect.poll(() => frame.evaluate((box) => box.scrollTop)).toBe(0);
    const below = await card.evaluate((element) => {
      const box = element.closest(".timeline");
      return element.getBoundingClientRect().bottom - (box?.getBoundingClientRect().top ?? 0) + 60;
    });
    await frame.evaluate((box, top) => (box.scrollTop = top), below);
    const paragraph = page.getByRole("article", { name: "Agent" }).nth(1);
    const place = async () => Math.round((await paragraph.boundingBox())?.y ?? 0);
    await expect.poll(place).toBeLessThan(200);
    const before = await place();
    await page.getByRole("button", { name: "Allow once" }).click();
    await turnEnd(screen, turnId);
    await card.getByText("a line of an error").first().waitFor({ state: "attached" });
    // The question's card is gone from below; what is read has not moved.
    await expect.poll(place).toBe(before);
  });

  it("for one at the end, when a question or a longer prompt takes its room", async () => {
    await using thread = await OpenThread.start(browser);
    const { page, screen, threadId } = thread;
    await run(screen, threadId, { say: "A paragraph.\n\n".repeat(60) });
    const toEnd = () =>
      page.locator(".timeline").evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
    await expect.poll(toEnd).toBeLessThan(5);
    const diff = { type: "diff", path: "/a.ts", oldText: "", newText: "a line\n".repeat(30) };
    const edit = toolCall("c1", { title: "Edit `a.ts`", kind: "edit", content: [diff] });
    const turnId = await submit(screen, threadId, edit, askPermission("c1"));
    await page.getByRole("group", { name: "Question" }).waitFor();
    await expect.poll(toEnd).toBeLessThan(5);
    await thread.prompt.fill("line\n".repeat(8));
    await expect.poll(toEnd).toBeLessThan(5);
    expect(await page.getByRole("button", { name: /newest/ }).count()).toBe(0);
    await page.getByRole("button", { name: "Reject" }).click();
    await turnEnd(screen, turnId);
    await expect.poll(toEnd).toBeLessThan(5);
  });

  it("or moves by itself for who wants less motion", async () => {
    await using thread = await OpenThread.start(browser, {}, { reducedMotion: "reduce" });
    const { page, screen, threadId } = thread;
    const turnId = await submit(screen, threadId, { say: "Working." }, make, askPermission("c1"));
    await page.getByRole("group", { name: "Question" }).waitFor();
    const moving = () =>
      page.evaluate(`document.getAnimations().filter((animation) => animation.playState === "running").length`);
    expect(await moving()).toBe(0);
    await page.getByRole("button", { name: "Reject" }).click();
    await turnEnd(screen, turnId);
    const slow = await submit(screen, threadId, { say: "Still working." }, { wait: 60_000 });
    await page.locator(".working").waitFor();
    expect(await moving()).toBe(0);
    await page.keyboard.press("Escape");
    await turnEnd(screen, slow);
  });
});
