// Sub-agents: their calls are grouped under the call that started them, in whatever order they come.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { askPermission, toolCall, toolCallUpdate } from "../support/fake-agent/script.ts";
import { run, submit, turnEnd } from "../support/fake-host.ts";
import { pageTests, restingTop } from "./open-thread.ts";

const tests = pageTests();

const task = (id: string, title: string) => toolCall(id, { title, kind: "think", status: "in_progress" });
const below = (parent: string, id: string, fields: object) =>
  toolCall(id, { ...fields, _meta: { claudeCode: { toolName: "Bash", parentToolUseId: parent } } });
const card = (page: Page, title: string) => page.getByRole("article", { name: new RegExp(`^Tool call: ${title}`) });
const fold = (page: Page, index = 0) => page.getByRole("button", { name: /^Sub-agent: / }).nth(index);
/** Each entry of the timeline with its depth. */
const lines = (page: Page) =>
  page
    .locator(".place")
    .evaluateAll((places) =>
      places.map(
        (place) => `${place.getAttribute("data-depth") ?? 0} ${place.querySelector(".title")?.textContent ?? ""}`,
      ),
    );

describe("sub-agents", () => {
  it("show in one line what runs and what waits, and their calls when opened", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const turnId = await submit(
      screen,
      threadId,
      task("one", "Look at the tests"),
      task("two", "Look at the docs"),
      below("one", "a1", { title: "Read a.ts", kind: "read", status: "completed" }),
      below("two", "b1", { title: "Read b.md", kind: "read", status: "in_progress" }),
      below("one", "a2", { title: "`make test`", kind: "execute" }),
      askPermission("a2"),
      toolCallUpdate("a2", { status: "failed" }),
      // What the published adapter for Claude Code sends after a call: nothing of whose it is.
      toolCallUpdate("b1", { status: "completed", _meta: { claudeCode: { toolName: "Read", toolResponse: {} } } }),
      toolCallUpdate("one", { status: "completed" }),
      toolCallUpdate("two", { status: "completed" }),
      { say: "Both are done." },
      below("two", "late", { title: "Read late.md", kind: "read", status: "completed" }),
    );
    await expect.poll(() => fold(page).innerText()).toMatch(/^Sub-agent:\s+Read 1 file\s+waiting for you:\s+make test/);
    await expect.poll(() => fold(page, 1).innerText()).toMatch(/^Sub-agent:\s+now:\s+Read b.md/);
    // The card says which one asks.
    const question = page.getByRole("group", { name: "Question" });
    await question.getByText("A sub-agent of Fake wants to run a command").waitFor();
    await question.getByText("Sub-agent: Look at the tests").waitFor();
    await question.getByRole("button", { name: "Allow once" }).click();
    await turnEnd(screen, turnId);
    await expect.poll(() => fold(page).innerText()).toMatch(/^Sub-agent:\s+Read 1 file\s+1 failed$/);
    await expect.poll(() => fold(page, 1).innerText()).toMatch(/^Sub-agent:\s+Read 2 files/);
    await expect.poll(() => lines(page)).toEqual(["0 ", "0 Look at the tests", "0 Look at the docs", "0 ", "0 "]);
    await fold(page, 1).press("Enter");
    await expect.poll(() => fold(page, 1).getAttribute("aria-expanded")).toBe("true");
    // The error key opens the fold with the error; the next press goes to the call.
    await page.getByRole("region", { name: "Timeline" }).focus();
    await page.keyboard.press("e");
    await expect.poll(() => fold(page).getAttribute("aria-expanded")).toBe("true");
    await page.keyboard.press("e");
    await expect.poll(() => page.locator(".place[data-marked] .title").innerText()).toBe("make test");
    await expect
      .poll(async () => (await lines(page)).slice(1, -1))
      .toEqual([
        "0 Look at the tests",
        "1 Read a.ts",
        "1 make test",
        "0 Look at the docs",
        "1 Read b.md",
        "1 Read late.md",
        "0 ",
      ]);
    expect(thread.problems).toEqual([]);
  });

  it("that have sessions of their own show their texts and calls under them, apart from the agent's", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const ofKid = (update: object) => ({
      send: { method: "session/update", params: { sessionId: "kid", update } },
    });
    const kidSays = (text: string) => ofKid({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
    const announce = (fields: object) => ({
      update: { sessionUpdate: "subagent_update", sessionId: "kid", ...fields },
    });
    await run(
      screen,
      threadId,
      announce({ title: "Look at the tests", state: { state: "running" } }),
      { say: "I asked " },
      kidSays("Looking "),
      { say: "for help." },
      kidSays("around."),
      announce({ state: { state: "idle", stopReason: "end_turn" } }),
    );
    await expect.poll(() => fold(page).innerText()).toMatch(/^Sub-agent:\s+1 text$/);
    await page.getByText("I asked for help.").waitFor();
    await expect.poll(() => page.getByRole("article", { name: "Sub-agent" }).count()).toBe(0);
    await run(
      screen,
      threadId,
      ofKid({ sessionUpdate: "tool_call", toolCallId: "c", title: "Read a.ts", kind: "read", status: "completed" }),
      kidSays("Found it."),
    );
    await expect.poll(() => fold(page).innerText()).toMatch(/^Sub-agent:\s+Read 1 file$/);
    await fold(page).click();
    const texts = page.getByRole("article", { name: "Sub-agent" });
    await expect.poll(() => texts.allInnerTexts()).toEqual(["Looking around.", "Found it."]);
    await expect
      .poll(async () => (await lines(page)).filter((line) => line.startsWith("1")))
      .toEqual(["1 ", "1 Read a.ts", "1 "]);
    expect(thread.problems).toEqual([]);
  });

  it("are complete though they began long ago, and open for a match inside them, also on a narrow screen", async () => {
    await using thread = await tests.openThread({ viewport: { width: 390, height: 800 } });
    const { page, screen, threadId } = thread;
    // More than one page.
    const calls = Array.from({ length: 260 }, (_, index) =>
      below("one", `a${index}`, { title: `Straw ${index}`, kind: "read", status: "completed" }),
    );
    await run(screen, threadId, task("one", "Look everywhere"), ...calls);
    await page.reload();
    await card(page, "Look everywhere").waitFor();
    await expect.poll(() => fold(page).innerText()).toMatch(/^Sub-agent:\s+Read 260 files$/);
    await page.keyboard.press("Control+f");
    await page.getByLabel("Find in this thread").fill("Straw 150");
    // In the prompt, which is the script, and in the call.
    await page.locator(".find-bar").getByText("2", { exact: true }).waitFor();
    await page.getByLabel("Find in this thread").press("Enter");
    await card(page, "Straw 150,").waitFor();
    await expect.poll(() => page.locator(".place[data-marked] .title").innerText()).toBe("Straw 150");
    await expect.poll(() => page.locator(".place").count()).toBeLessThan(60);
    await expect.poll(() => page.evaluate("document.querySelector('.timeline').scrollWidth <= innerWidth")).toBe(true);
    expect(thread.problems).toEqual([]);
  });

  it("do not make the page load endlessly: after some pages, loading waits for a click", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const calls = Array.from({ length: 1300 }, (_, index) =>
      below("one", `a${index}`, { title: `Straw ${index}`, kind: "read", status: "completed" }),
    );
    await run(screen, threadId, task("one", "Look everywhere"), ...calls);
    await page.reload();
    await page.getByRole("button", { name: "Sub-agent: Read 1200 files" }).waitFor();
    await expect.poll(() => card(page, "Look everywhere").count()).toBe(0);
    await page.getByRole("button", { name: "Load earlier" }).click();
    await card(page, "Look everywhere").waitFor();
    await expect.poll(() => fold(page).innerText()).toMatch(/^Sub-agent:\s+Read 1300 files$/);
    await expect.poll(() => page.getByRole("button", { name: "Load earlier" }).count()).toBe(0);
  });

  it("do not move what is read when they grow above it", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const first = below("one", "a1", { title: "Read a.ts", kind: "read", status: "completed" });
    const texts = ["early", "middle", "late"].flatMap((word, index) => [
      { say: `${word}\n\n`.repeat(30) },
      toolCall(`c${index}`, { title: `After ${word}`, kind: "read", status: "completed" }),
    ]);
    await run(screen, threadId, task("one", "Look"), first, ...texts);
    await page.keyboard.press("Control+f");
    await page.getByLabel("Find in this thread").fill("Read a.ts");
    await page.locator(".find-bar").getByText("2", { exact: true }).waitFor();
    await page.getByLabel("Find in this thread").press("Enter");
    await card(page, "Read a.ts").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("region", { name: "Timeline" }).focus();
    await page.keyboard.press("t");
    await expect.poll(() => page.locator(".place[data-marked] .title").innerText()).toBe("After early");
    const top = () => restingTop(card(page, "After early"));
    const height = () => page.locator(".track").evaluate((element) => element.clientHeight);
    const [before, heightBefore] = [await top(), await height()];
    const more = Array.from({ length: 5 }, (_, index) =>
      below("one", `b${index}`, { title: `Read b${index}.ts`, kind: "read", status: "completed" }),
    );
    await run(screen, threadId, ...more);
    // Five calls, and the prompt and the end of their turn below.
    await expect.poll(height).toBeGreaterThan(heightBefore + 200);
    expect(await top()).toBe(before);
    await page.locator(".timeline").evaluate((box) => box.scrollTo(0, 0));
    await expect.poll(() => fold(page).innerText()).toMatch(/^Sub-agent:\s+Read 6 files$/);
  });

  it("whose first call is unknown have a head of their own", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    await run(
      screen,
      threadId,
      { say: "Before." },
      below("unknown", "a1", { title: "Read a.ts", kind: "read", status: "completed" }),
      { say: "After." },
    );
    const head = page.getByRole("article", { name: "Sub-agent" });
    await head.getByText("its first call is not loaded").waitFor();
    await head.getByRole("button", { name: "Sub-agent: Read 1 file" }).click();
    await expect.poll(() => lines(page)).toEqual(["0 ", "0 ", "0 ", "1 Read a.ts", "0 ", "0 "]);
    expect(thread.problems).toEqual([]);
  });
});
