// Browser notifications, and two devices that answer the same question.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { askForm, askPermission, toolCall } from "../support/fake-agent/script.ts";
import { question, submit, turnEnd, viewOf } from "../support/fake-host.ts";
import { pageTests } from "./open-thread.ts";

const tests = pageTests();

/** Records notifications, and lets a test hide the page: headless Chromium can do neither. */
async function recordNotifications(page: Page): Promise<void> {
  await page.addInitScript(`
    window.notified = [];
    window.Notification = class extends EventTarget {
      static permission = "granted";
      static requestPermission = async () => "granted";
      constructor(title, options) { super(); window.notified.push({ title, ...options }); window.lastNote = this; }
    };
    Object.defineProperty(document, "visibilityState", { get: () => window.isVisible ? "visible" : "hidden" });
    window.isVisible = true;
  `);
  await page.reload();
}

const notified = (page: Page) => page.evaluate<{ title: string; body: string }[]>("window.notified");
const make = toolCall("c1", { title: "`make`", kind: "execute", rawInput: { command: "make" } });

describe("a browser notification", () => {
  it("comes for permissions and forms while the page is hidden, if enabled, and opens the thread", async () => {
    await using thread = await tests.openThread({});
    const { page, screen, threadId } = thread;
    await recordNotifications(page);
    await thread.goTo("#/settings");
    // It is set when the browser has answered, so not with the click.
    const wish = page.getByLabel("Notify me when an agent is waiting");
    await wish.click();
    await expect.poll(() => wish.isChecked()).toBe(true);
    await page.evaluate("window.isVisible = false");
    const first = await submit(screen, threadId, make, askPermission("c1"), askForm({ port: { type: "integer" } }));
    await expect.poll(() => notified(page)).toMatchObject([{ title: "Fake is waiting for you" }]);
    const { permission_id } = await question(screen, threadId);
    await screen.request({ control: "permission.respond", thread_id: threadId, permission_id, option_id: "yes" });
    await expect.poll(async () => (await notified(page)).length).toBe(2);
    await page.evaluate("window.lastNote.dispatchEvent(new Event('click'))");
    await page.getByRole("group", { name: "Question" }).getByText("Which port?").waitFor();
    // None while the page is visible.
    await page.evaluate("window.isVisible = true");
    await page.getByRole("button", { name: /^Cancel/ }).click();
    await turnEnd(screen, first);
    const second = await submit(screen, threadId, make, askPermission("c1"));
    await page.getByRole("group", { name: "Question" }).getByText("$ make").waitFor();
    await expect.poll(() => page.title()).toContain("(1)");
    await expect.poll(async () => (await notified(page)).length).toBe(2);
    await page.getByRole("button", { name: /^Deny/ }).click();
    await turnEnd(screen, second);
  });
});

describe("two devices", () => {
  it("that answer at the same moment: one answer counts, and both show it", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    await using device = await thread.onPhone();
    const phone = device.page;
    const turnId = await submit(screen, threadId, make, askPermission("c1"));
    await Promise.all([page, phone].map((each) => each.getByRole("button", { name: /^Deny/ }).waitFor()));
    // The second button may be gone before it is clicked, so none is waited for.
    await Promise.all(
      [page.getByRole("button", { name: /^Deny/ }), phone.getByRole("button", { name: "Allow once" })].map((button) =>
        button.evaluateAll((found) => found[0]?.click()),
      ),
    );
    await turnEnd(screen, turnId);
    const [decided] = viewOf(screen.received, threadId).permissions;
    const label = decided?.status === "allowed" ? "allowed" : "denied";
    for (const each of [page, phone]) {
      await each.getByRole("group", { name: "Question" }).waitFor({ state: "hidden" });
      await each.locator(".tool .right", { hasText: label }).waitFor();
    }
  });
});
