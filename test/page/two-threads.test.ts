// Two threads side by side on a wide screen: one address holds both, each has its own prompt and questions, and keys are for one of them.
import type { Locator } from "playwright-core";
import { expect, it } from "vitest";
import { askPermission, script } from "../support/fake-agent/script.ts";
import { submit } from "../support/fake-host.ts";
import { layoutProblems } from "./layout-problems.ts";
import { pageTests } from "./open-thread.ts";

const tests = pageTests();

it("two threads are open side by side, work on their own, and are swapped and closed", async () => {
  await using thread = await tests.openThread({ viewport: { width: 1920, height: 1000 } });
  const { page, screen, threadId: first, folder } = thread;
  const second = await thread.host.thread(screen, folder);
  const third = await thread.host.thread(screen, folder);
  const rename = (id: string, title: string) =>
    screen.request({ control: "tvx.update_thread", thread_id: id, updates: { title } });
  await Promise.all([rename(first, "The first"), rename(second, "The second"), rename(third, "The third")]);
  const [left, right] = [
    page.getByRole("group", { name: "Left thread" }),
    page.getByRole("group", { name: "Right thread" }),
  ];
  const titleIn = (pane: Locator) => pane.getByRole("heading", { level: 1 }).innerText();
  const inList = (title: string) => page.locator(".thread-row", { hasText: title });
  const answer = (pane: Locator, text: string) => pane.getByRole("article", { name: "Agent" }).getByText(text);

  // From the menu of the list. The address holds both.
  await inList("The second").hover();
  await inList("The second").getByRole("button", { name: "More for The second" }).click();
  await page.getByRole("menuitem", { name: "Open beside" }).click();
  await expect.poll(() => titleIn(right)).toBe("The second");
  await expect.poll(() => page.url()).toContain(`#/thread/${first}?beside=${second}`);

  // Both stream, and each has its prompt.
  await submit(screen, first, { say: "Of the first." }, { wait: 60_000 });
  await answer(left, "Of the first.").waitFor();
  await right.getByLabel("Prompt", { exact: true }).fill(script({ say: "Of the second." }));
  await right.getByLabel("Prompt", { exact: true }).press("Enter");
  await answer(right, "Of the second.").waitFor();
  await expect.poll(() => answer(left, "Of the second.").count()).toBe(0);
  await left.locator(".chip.state", { hasText: "working" }).waitFor();
  await expect.poll(() => layoutProblems(page)).toEqual([]);

  // Keys are for the thread that was used last: Escape, pressed twice, stops the left one only after it was clicked.
  await submit(screen, second, askPermission("c1", { kind: "execute", rawInput: { command: "make" } }));
  await right.getByRole("group", { name: "Question" }).waitFor();
  await left.getByRole("region", { name: "Timeline" }).click();
  await page.keyboard.press("Escape");
  await left.getByText("Press Esc again to stop").waitFor();
  await page.keyboard.press("Escape");
  await left.locator(".chip.state", { hasText: "stopped" }).waitFor();
  await page.keyboard.press("Alt+d");
  await page.keyboard.press("F6");
  // The question still waits: D was for the left thread.
  await right.getByRole("button", { name: /^Deny/ }).waitFor();
  await expect
    .poll(async () => {
      await page.keyboard.press("Alt+d");
      return await right.getByRole("group", { name: "Question" }).count();
    })
    .toBe(0);

  // A reload shows both. A thread of the list takes the place of the one that was used last; keys open and close.
  await page.reload();
  await answer(left, "Of the first.").waitFor();
  await answer(right, "Of the second.").waitFor();
  await right.getByRole("region", { name: "Timeline" }).click();
  await inList("The third").locator("a.thread").click();
  await expect.poll(() => titleIn(right)).toBe("The third");
  await expect.poll(() => titleIn(left)).toBe("The first");
  await left.getByRole("button", { name: "Swap the two threads" }).click();
  await expect.poll(() => titleIn(left)).toBe("The third");
  await expect.poll(() => titleIn(right)).toBe("The first");
  await page.keyboard.press("Alt+b");
  await page.getByLabel("Thread to open beside").fill("second");
  await page.getByRole("option", { name: /^The second/ }).waitFor();
  await page.keyboard.press("Enter");
  await expect.poll(() => titleIn(right)).toBe("The second");

  // Changes of one of them take the whole view. Escape, its tab and Back lead to both again.
  const toChanges = async (pane: Locator) => {
    await pane.getByRole("link", { name: "Changes" }).click();
    await right.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Changes" }).and(page.locator("[aria-current]")).waitFor();
  };
  for (const [pane, leave] of [
    [right, () => page.keyboard.press("Escape")],
    [left, () => page.getByRole("link", { name: "Thread", exact: true }).click()],
    [right, () => page.goBack()],
  ] as const) {
    await toChanges(pane);
    await leave();
    await expect.poll(() => titleIn(left)).toBe("The third");
    await expect.poll(() => titleIn(right)).toBe("The second");
  }

  // A narrow screen shows the first only, and has them again when it is wide.
  await page.setViewportSize({ width: 1280, height: 860 });
  await right.waitFor({ state: "detached" });
  await page.getByRole("heading", { name: "The third" }).waitFor();
  await page.keyboard.press("Alt+b");
  await page.getByText("need a window that is at least 1,400 pixels wide").waitFor();
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await page.setViewportSize({ width: 1920, height: 1000 });
  await right.getByRole("region", { name: "Timeline" }).click();
  await page.keyboard.press("Alt+Shift+B");
  await right.waitFor({ state: "detached" });
  await expect.poll(() => page.url()).toContain(`#/thread/${third}`);
  await page.getByRole("heading", { name: "The third" }).waitFor();
  expect(thread.problems).toEqual([]);
});
