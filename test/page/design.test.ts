// The look of every view, checked by machine in both themes and at four widths: own controls, the scale, one primary, names, room.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { submit } from "../support/fake-host.ts";
import { exampleThread } from "./example-thread.ts";
import { pageTests } from "./open-thread.ts";

const tests = pageTests();

const widths = [390, 820, 1440, 2560];

/** One sentence for each thing that is not as it should be in what the page shows now. */
function findProblems(page: Page): Promise<readonly string[]> {
  return page.locator("body").evaluate((body) => {
    const view = body.ownerDocument.defaultView;
    if (view === null) return ["no window"];
    const problems: string[] = [];
    const isPhone = view.innerWidth <= 720;
    const sizes = isPhone ? [12, 13, 15, 16, 20] : [11, 12, 13, 15, 20];
    const name = (element: typeof body) => `${element.tagName.toLowerCase()}.${element.getAttribute("class") ?? ""}`;
    for (const native of body.querySelectorAll("select, details, progress, [type=checkbox], [type=radio]"))
      problems.push(`native: ${native.tagName}`);
    const primaries = new Set<string>();
    for (const element of body.querySelectorAll<typeof body>("*")) {
      if (!element.checkVisibility() || element.closest("svg") !== null) continue;
      const style = view.getComputedStyle(element) as unknown as Readonly<Record<string, string>>;
      const hasText = [...element.childNodes].some(
        ({ nodeType, textContent }) => nodeType === 3 && textContent?.trim(),
      );
      if (hasText && !sizes.includes(Number.parseFloat(style.fontSize ?? "")))
        problems.push(`font size ${style.fontSize}: ${name(element)}`);
      for (const radius of new Set(style.borderRadius?.split(" ")))
        if (!["0px", "6px", "10px", "999px"].includes(radius)) problems.push(`radius ${radius}: ${name(element)}`);
      for (const side of ["Top", "Right", "Bottom", "Left"] as const)
        if (Number.parseFloat(style[`padding${side}`] ?? "") % 4 > 1)
          problems.push(`padding ${style.padding}: ${name(element)}`);
      if (
        element.matches("button, a") &&
        (style.transitionDuration ?? "").split(", ").some((time) => !["0s", "0.12s", "0.18s"].includes(time))
      )
        problems.push(`transition ${style.transitionDuration}: ${name(element)}`);
      if (element.matches(".primary:enabled")) primaries.add(style.backgroundColor ?? "");
      const isNamed = (element.getAttribute("aria-label") ?? element.innerText).trim() !== "";
      if (element.matches("button:not([role])") && !isNamed && element.title === "")
        problems.push(`no name: ${name(element)}`);
    }
    if (primaries.size > 1) problems.push(`primaries: ${[...primaries].join(", ")}`);
    if (body.ownerDocument.documentElement.scrollWidth > view.innerWidth) problems.push("scrolls sideways");
    return [...new Set(problems)];
  });
}

it("has own controls, the scale and one primary in every view, in light and dark, at four widths", async () => {
  await using thread = await tests.openThread();
  const { page, screen, threadId } = thread;
  await submit(screen, threadId, ...exampleThread(thread.folder));
  await page.getByRole("group", { name: "Question" }).waitFor();
  const check = async (view: string) => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        await expect.poll(() => findProblems(page), { message: `${view}, ${colorScheme}, ${width} px` }).toEqual([]);
      }
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  };
  await check("thread");
  for (const [view, shown] of [
    ["#/new", "What do you want to do?"],
    ["#/settings", "Models and keys"],
    ["#/statistics", "Statistics"],
    ["#/search", "Search"],
  ] as const) {
    await thread.goTo(view);
    await page.getByRole("main").getByText(shown, { exact: true }).first().waitFor();
    await check(view);
  }
  expect(thread.problems).toEqual([]);
});

it("gives the title its room, the list rows of 36 px, and a phone at most a quarter of furniture", async () => {
  await using thread = await tests.openThread();
  const { page, screen, threadId } = thread;
  const updates = {
    title: `A title ${"that needs more room than the head has ".repeat(8)}`.trim(),
  };
  await screen.request({ control: "tvx.update_thread", thread_id: threadId, updates });
  const title = page.getByRole("heading", { name: updates.title });
  await title.waitFor();
  const heightOf = async (selector: string) => (await page.locator(selector).first().boundingBox())?.height ?? 0;
  for (const width of [1024, 1440, 2560]) {
    await page.setViewportSize({ width, height: 900 });
    const share = async () =>
      ((await title.boundingBox())?.width ?? 0) / ((await page.locator(".head-what").boundingBox())?.width ?? 1);
    await expect.poll(share, { message: `${width} px` }).toBeGreaterThan(0.4);
    await expect.poll(() => heightOf("a.thread")).toBe(36);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  const furniture = async () => ((await heightOf(".head")) + (await heightOf(".composer"))) / 844;
  await expect.poll(furniture).toBeLessThan(0.25);
});
