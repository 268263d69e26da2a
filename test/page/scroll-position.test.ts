// The scroll position of the timeline: what is read stays where it is, and the end stays in view for those who follow it.
import { describe, expect, it } from "vitest";
import { askPermission, toolCall, toolCallUpdate } from "../support/fake-agent/script.ts";
import { run, submit, turnEnd } from "../support/fake-host.ts";
import { pageTests, restingTop } from "./open-thread.ts";

const tests = pageTests();
const make = toolCall("c1", { title: "`make`", kind: "execute", rawInput: { command: "make" } });

describe("the scroll position", () => {
  it("stays while text, thoughts, tool calls and a plan stream in, both above the end and at it", async () => {
    await using thread = await tests.openThread();
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
    const stream = (end: string) =>
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
        { say: end },
      );
    await stream("The first end.");
    const frame = page.locator(".timeline");
    // Only a page that has drawn all of it does not follow the end any more.
    await page.getByRole("article", { name: "Agent" }).getByText("The first end.").waitFor();
    await frame.evaluate((box) => (box.scrollTop = 300));
    await expect.poll(() => frame.evaluate((box) => box.scrollTop)).toBe(300);
    // The list draws what came into view after it was scrolled.
    await frame.locator('.place[data-index="0"]').waitFor();
    const reading = () =>
      frame.evaluate((box) => {
        const top = box.getBoundingClientRect().top;
        const place = [...box.querySelectorAll(".place")].find((each) => each.getBoundingClientRect().bottom > top + 5);
        return [place?.getAttribute("data-index"), Math.round(place?.getBoundingClientRect().top ?? 0)];
      });
    const before = await reading();
    const height = () => frame.evaluate((box) => box.scrollHeight);
    const heightBefore = await height();
    await stream("The second end.");
    await expect.poll(height).toBeGreaterThan(heightBefore + 250);
    await expect.poll(reading).toEqual(before);
    const shifts = await page.evaluate<{ value: number; nodes: string[] }[]>("window.shifts");
    // Chromium calls less than 0.1 in a whole visit good.
    expect(
      shifts.reduce((sum, { value }) => sum + value, 0),
      JSON.stringify(shifts),
    ).toBeLessThan(0.1);
  });

  it("stays when something above grows or shrinks", async () => {
    await using thread = await tests.openThread();
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
    // The call is just above the visible part.
    await frame.evaluate((box) => (box.scrollTop = 0));
    await card.waitFor({ state: "attached" });
    await expect.poll(() => frame.evaluate((box) => box.scrollTop)).toBe(0);
    const below = await card.evaluate((element) => {
      const box = element.closest(".timeline");
      return element.getBoundingClientRect().bottom - (box?.getBoundingClientRect().top ?? 0) + 60;
    });
    await frame.evaluate((box, top) => (box.scrollTop = top), below);
    const paragraph = page.getByRole("article", { name: "Agent" }).nth(1);
    await expect.poll(async () => (await paragraph.boundingBox())?.y).toBeLessThan(200);
    const before = await restingTop(paragraph);
    await page.getByRole("button", { name: "Allow once" }).click();
    await turnEnd(screen, turnId);
    await card.getByText("a line of an error").first().waitFor({ state: "attached" });
    // The card below is gone; what is read has not moved.
    expect(await restingTop(paragraph)).toBe(before);
  });

  it("stays at the end when a question or a longer prompt needs space", async () => {
    await using thread = await tests.openThread();
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
    await expect.poll(() => page.getByRole("button", { name: /Go to the end/ }).count()).toBe(0);
    await page.getByRole("button", { name: /^Deny/ }).click();
    await turnEnd(screen, turnId);
    await expect.poll(toEnd).toBeLessThan(5);
  });

  it("stays at the end when it needs space in the moment in which an entry grows", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    for (let turn = 0; turn < 3; turn++) await run(screen, threadId, { say: "A paragraph.\n\n".repeat(20) });
    const frame = page.locator(".timeline");
    const toEnd = () => frame.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
    for (const which of ["first", "last"]) {
      await expect.poll(toEnd).toBeLessThan(5);
      // Both in one frame, as when a text gets its colours while a prompt is typed.
      await page.evaluate(`{
        const places = [...document.querySelectorAll(".place")].sort((a, b) => a.dataset.index - b.dataset.index);
        places.at(${which === "first" ? 0 : -1}).style.paddingBottom = "60px";
        const prompt = document.querySelector(".composer textarea");
        prompt.style.minHeight = prompt.clientHeight + 160 + "px";
      }`);
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      await expect.poll(toEnd, { message: which }).toBeLessThan(5);
    }
    // Going up is still the person's: more space needed does not take them back.
    await frame.hover();
    await page.mouse.wheel(0, -400);
    await expect.poll(toEnd).toBeGreaterThan(320);
    await page.evaluate(`document.querySelector(".composer textarea").style.minHeight = "480px"`);
    await expect.poll(toEnd).toBeGreaterThan(420);
  });

  it("has no animations with reduced motion", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    await page.emulateMedia({ reducedMotion: "reduce" });
    const turnId = await submit(screen, threadId, { say: "Working." }, make, askPermission("c1"));
    await page.getByRole("group", { name: "Question" }).waitFor();
    const moving = () =>
      page.evaluate(`document.getAnimations().filter((animation) => animation.playState === "running").length`);
    await expect.poll(moving).toBe(0);
    await page.getByRole("button", { name: /^Deny/ }).click();
    await turnEnd(screen, turnId);
    const slow = await submit(screen, threadId, { say: "Still working." }, { wait: 60_000 });
    // The line of the first turn may still be there.
    await page.getByText("Still working.", { exact: true }).waitFor();
    await page.locator(".working").waitFor();
    await expect.poll(moving).toBe(0);
    await page.keyboard.press("Escape");
    await page.getByText("Press Esc again to stop").waitFor();
    await page.keyboard.press("Escape");
    const ended = await turnEnd(screen, slow);
    expect(ended.stop_reason).toBe("cancelled");
  });
});
