// Nothing that a person types may answer a question or stop a turn by accident: ordinary sentences on every view, in four places of the focus, and
// Escape in every layer.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { askPermission, script, toolCall } from "../support/fake-agent/script.ts";
import { run, submit } from "../support/fake-host.ts";
import { LateAnswers } from "../support/late-answers.ts";
import type { TestScreen } from "../support/screen.ts";
import { chooseOption } from "./list-box.ts";
import { betweenLetters, pageTests } from "./open-thread.ts";

const tests = pageTests();
const fields = { kind: "execute", rawInput: { command: "make" } };
const asks = [toolCall("c1", fields), askPermission("c1", fields)];
/** Milliseconds between two letters of a person who types. */
const delay = 60;

const sentences = [
  "We have a flaky test, and also a dead link",
  "also add docs",
  "delete the old branch",
  "do not touch the lock file",
  "Why does it fail only on Windows?",
  "next, look at the parser",
  "Can you explain this (in two lines)?",
  "push it / open a pull request",
  "list all files [sorted by size]",
  "x is never used; drop it",
  "a",
  "d",
  "1. tests 2. docs 3. release",
  "What else is waiting?",
  "All good. Allow it once more later",
  "quit asking and go on",
  "just keep the API as it is",
  "broken: see log, line 12",
  "Open the outline, then the changes",
  "I think we're done here!",
];

/** Where the focus may be when a person starts to type. */
const places: Readonly<Record<string, string>> = {
  "as the view opens": "",
  nothing: "document.activeElement?.blur()",
  "a link of the list": "document.querySelector('a.thread')?.focus()",
  "the content": "(document.querySelector('.timeline') ?? document.querySelector('main')).focus()",
};

async function statusOf(screen: TestScreen, threadId: string): Promise<string | undefined> {
  const { rows } = await screen.query("permissions.list", { thread_id: threadId });
  return (rows as readonly { status: string }[])[0]?.status;
}

async function turnStatus(screen: TestScreen, threadId: string): Promise<string | undefined> {
  const { rows } = await screen.query("threads.list", { limit: 200 });
  return rows.find(({ id }) => id === threadId)?.status;
}

const hasFocus = (page: Page, name: string) => () =>
  page.evaluate(`document.activeElement?.getAttribute("aria-label") === ${JSON.stringify(name)}`);

/** Presses the next key before the last one is up, as people do. To wait for each key would be most of the test's time. */
async function typeFast(page: Page, text: string): Promise<void> {
  await Promise.all(Array.from(text, (letter) => page.keyboard.type(letter)));
}

it("20 sentences on every view, in four places of the focus, answer nothing and stop nothing; Alt+A answers", async () => {
  await using thread = await tests.openThread({});
  const { page, screen, threadId } = thread;
  const other = await thread.host.thread(screen, thread.folder);
  await submit(screen, threadId, ...asks);
  await page.getByRole("group", { name: "Question" }).waitFor();
  // Each key comes seconds after the one before: no pause makes a letter an answer.
  await page.evaluate(`{
    const now = performance.now.bind(performance);
    let later = 0;
    performance.now = () => now() + later;
    addEventListener("keydown", () => (later += 2000), { capture: true });
  }`);
  const views = [
    `#/thread/${threadId}`,
    `#/thread/${other}`,
    `#/thread/${threadId}/changes`,
    `#/thread/${threadId}/events`,
    "#/",
    "#/new",
    "#/search",
    "#/statistics",
    "#/tool-calls",
    "#/settings",
  ];
  for (const view of views) {
    for (const [index, move] of Object.values(places).entries()) {
      await thread.goTo(view);
      await page.evaluate(move);
      await typeFast(page, sentences.filter((_, each) => each % 4 === index).join(" "));
      expect(page.url(), view).toContain(view);
    }
    await expect.poll(() => statusOf(screen, threadId)).toBe("pending");
    await expect.poll(() => turnStatus(screen, threadId)).toBe("waiting");
  }
  await thread.goTo();
  // All of it is in the prompt, but for what the timeline took for its own keys.
  await expect.poll(() => thread.prompt.inputValue()).toContain("flaky test");
  await expect.poll(() => thread.prompt.inputValue()).toContain("just keep the API as it is");
  await page.keyboard.press("Alt+a");
  await expect.poll(() => statusOf(screen, threadId)).toBe("allowed");
});

it("the prompt has the focus after load, New, a click in the list, the palette, Alt+W, Back and a change of tab", async () => {
  await using thread = await tests.openThread({});
  const { page, screen, threadId } = thread;
  const waiting = await thread.host.thread(screen, thread.folder);
  await screen.request({ control: "tvx.update_thread", thread_id: waiting, updates: { title: "The waiting one" } });
  await run(screen, threadId, { say: "Ready." });
  const isInPrompt = hasFocus(page, "Prompt");
  const isInFirst = hasFocus(page, "First prompt");
  await page.reload();
  await expect.poll(isInPrompt).toBe(true);
  await page.keyboard.press("Alt+n");
  await expect.poll(isInFirst).toBe(true);
  await page.locator(`a.thread[href*="${threadId}"]`).click();
  await expect.poll(isInPrompt).toBe(true);
  await page.goBack();
  await expect.poll(isInFirst).toBe(true);
  await page.goForward();
  await expect.poll(isInPrompt).toBe(true);
  await page.getByRole("link", { name: "Changes", exact: true }).click();
  await page.getByRole("link", { name: "Thread", exact: true }).click();
  await expect.poll(isInPrompt).toBe(true);
  await page.keyboard.press("Alt+2");
  await page.getByText("No changes since the start").waitFor();
  await page.keyboard.press("Alt+1");
  await expect.poll(isInPrompt).toBe(true);
  await page.keyboard.press("Control+k");
  await page.getByLabel("Command or thread").fill("The waiting one");
  await page.getByRole("option", { name: /^The waiting one/ }).waitFor();
  await page.keyboard.press("Enter");
  await expect.poll(() => thread.shownId).toBe(waiting);
  await expect.poll(isInPrompt).toBe(true);
  await thread.goTo();
  await submit(screen, waiting, ...asks);
  await page.locator(".waiting-notice").waitFor();
  await page.keyboard.press("Alt+w");
  await page.getByRole("group", { name: "Question" }).waitFor();
  await expect.poll(isInPrompt).toBe(true);
  // What is typed is in the prompt of the new view, from the first letter.
  await page.keyboard.type("also add docs");
  await expect.poll(() => thread.prompt.inputValue()).toBe("also add docs");
  expect(thread.problems).toEqual([]);
});

it("Escape closes the top layer and only that; twice, with a hint, it stops the turn", async () => {
  await using thread = await tests.openThread({});
  const { page, screen, threadId } = thread;
  await submit(screen, threadId, { say: "Some words." }, ...asks);
  const card = page.getByRole("group", { name: "Question" });
  await card.waitFor();
  const hint = page.getByText("Press Esc again to stop");
  const goesOn = async () => {
    await expect.poll(() => hint.count()).toBe(0);
    await expect.poll(() => statusOf(screen, threadId)).toBe("pending");
  };
  const escape = () => page.keyboard.press("Escape");
  // The scopes of the card, then the card, then nothing is open.
  const scopes = card.getByRole("radio");
  await page.keyboard.press("Alt+ArrowUp");
  await expect.poll(hasFocus(page, "Question")).toBe(true);
  await page.keyboard.press("Alt+Shift+A");
  await scopes.first().waitFor();
  await escape();
  await expect.poll(() => scopes.count()).toBe(0);
  await goesOn();
  await card.getByRole("button", { name: "Allow for longer" }).click();
  await scopes.first().waitFor();
  await escape();
  await expect.poll(() => scopes.count()).toBe(0);
  await goesOn();
  await page.keyboard.press("Alt+x");
  await expect.poll(hasFocus(page, "Deny and say what to do instead")).toBe(true);
  await escape();
  await expect.poll(hasFocus(page, "Question")).toBe(true);
  await escape();
  await expect.poll(hasFocus(page, "Prompt")).toBe(true);
  await goesOn();
  // Dialogs, also one that is opened over the bar to find text.
  await page.keyboard.press("Control+f");
  await page.getByLabel("Find in this thread").waitFor();
  await thread.prompt.focus();
  await page.keyboard.press("Control+k");
  await page.getByLabel("Command or thread").waitFor();
  await escape();
  await expect.poll(() => page.getByLabel("Command or thread").count()).toBe(0);
  await escape();
  await expect.poll(() => page.getByLabel("Find in this thread").count()).toBe(0);
  await expect.poll(hasFocus(page, "Prompt")).toBe(true);
  await goesOn();
  for (const key of ["Alt+/", "Alt+o"]) {
    await page.keyboard.press(key);
    await page.getByRole("dialog").waitFor();
    await escape();
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await goesOn();
  }
  // Menu, title, suggestions, filter, selected text.
  await page
    .locator(".head-end")
    .getByRole("button", { name: /^More for/ })
    .click();
  await page.getByRole("menu").waitFor();
  await escape();
  await expect.poll(() => page.getByRole("menu").count()).toBe(0);
  await goesOn();
  await page.keyboard.press("F2");
  await page.getByLabel("Thread title").waitFor();
  await escape();
  await expect.poll(() => page.getByLabel("Thread title").count()).toBe(0);
  await goesOn();
  await page.getByLabel("Filter threads").fill("some");
  await escape();
  await expect.poll(() => page.getByLabel("Filter threads").inputValue()).toBe("");
  await goesOn();
  await escape();
  await expect.poll(hasFocus(page, "Prompt")).toBe(true);
  await goesOn();
  await page.evaluate("document.activeElement.blur()");
  await page.getByText("Some words.", { exact: true }).selectText();
  await escape();
  await expect.poll(() => page.evaluate("getSelection().isCollapsed")).toBe(true);
  await goesOn();
  // Nothing is open any more. One press and a late second one stop nothing.
  await thread.prompt.focus();
  await escape();
  await hint.waitFor();
  await hint.waitFor({ state: "hidden" });
  await escape();
  await hint.waitFor();
  await expect.poll(() => statusOf(screen, threadId)).toBe("pending");
  await escape();
  await expect.poll(() => turnStatus(screen, threadId)).toBe("idle");
  await page.getByRole("button", { name: /^Stop/ }).waitFor({ state: "hidden" });
  // With nothing to stop, it goes between the prompt and the timeline.
  await expect.poll(hasFocus(page, "Prompt")).toBe(true);
  await escape();
  await expect.poll(hasFocus(page, "Timeline")).toBe(true);
  await escape();
  await expect.poll(hasFocus(page, "Prompt")).toBe(true);
});

it("a plain letter answers only while the card has the focus by keyboard, and after a pause", async () => {
  await using thread = await tests.openThread();
  const { page, screen, threadId } = thread;
  await submit(screen, threadId, ...asks);
  const card = page.getByRole("group", { name: "Question" });
  await card.waitFor();
  // A click into the card is no reason to take text for an answer.
  await card.locator(".ask-body").click();
  await page.keyboard.type("a d", { delay: betweenLetters });
  await expect.poll(() => thread.prompt.inputValue()).toBe("a d");
  await expect.poll(() => statusOf(screen, threadId)).toBe("pending");
  await page.keyboard.press("Alt+ArrowUp");
  await expect.poll(() => card.evaluate((element) => element.matches(":focus-visible"))).toBe(true);
  await expect
    .poll(
      async () => {
        await page.keyboard.press("d");
        return await statusOf(screen, threadId);
      },
      { interval: betweenLetters },
    )
    .toBe("denied");
});

it("while an agent starts slowly stays where it is, and answers nothing", async () => {
  await using thread = await tests.openThread({});
  const { page, screen, folder } = thread;
  const answers = await LateAnswers.on(page);
  await page.reload();
  await thread.goTo("#/");
  const field = page.getByLabel("First prompt", { exact: true });
  await chooseOption(page.getByRole("combobox", { name: "Agent", exact: true }), "Fake");
  await page.getByLabel("Folder", { exact: true }).fill(folder);
  answers.hold("session.create");
  await field.fill(script(...asks));
  await field.press("Enter");
  await expect.poll(() => answers.isHeld("session.create")).toBe(true);
  await page
    .getByRole("link", { name: /New thread/ })
    .first()
    .click();
  await expect.poll(() => field.inputValue()).toBe("");
  await field.pressSequentially("add a ", { delay });
  answers.letThrough("session.create");
  // Its question waits now. The page stays with the person.
  const started = () => screen.query("permissions.list", {}).then(({ rows }) => rows as readonly { status: string }[]);
  await expect.poll(started).toMatchObject([{ status: "pending" }]);
  await page.getByText("has started. It is in the list.").waitFor();
  await page.keyboard.type("test and a demo", { delay });
  await expect.poll(() => field.inputValue()).toBe("add a test and a demo");
  await expect.poll(() => started()).toMatchObject([{ status: "pending" }]);
  // The draft survives a change of view.
  await thread.goTo("#/settings");
  await thread.goTo("#/new");
  await expect.poll(() => field.inputValue()).toBe("add a test and a demo");
  await field.fill("");
});

it("after a thread was started does not answer its first question", async () => {
  await using thread = await tests.openThread({});
  const { page, screen, folder } = thread;
  await thread.goTo("#/");
  const field = page.getByLabel("First prompt", { exact: true });
  await chooseOption(page.getByRole("combobox", { name: "Agent", exact: true }), "Fake");
  await page.getByLabel("Folder", { exact: true }).fill(folder);
  await field.fill(script(...asks));
  await field.press("Enter");
  await page.getByRole("group", { name: "Question" }).waitFor();
  await page.keyboard.type("also add docs", { delay });
  const { rows } = await screen.query("permissions.list", { thread_id: thread.shownId });
  expect(rows).toMatchObject([{ status: "pending" }]);
});

it("a reload while the agent starts does not lose the first prompt", async () => {
  await using thread = await tests.openThread({});
  const { page, folder } = thread;
  const answers = await LateAnswers.on(page);
  await page.reload();
  await thread.goTo("#/");
  const field = page.getByLabel("First prompt", { exact: true });
  await chooseOption(page.getByRole("combobox", { name: "Agent", exact: true }), "Fake");
  await page.getByLabel("Folder", { exact: true }).fill(folder);
  answers.hold("session.create");
  await field.fill("A prompt that took a while to write");
  await field.press("Enter");
  await expect.poll(() => answers.isHeld("session.create")).toBe(true);
  await expect.poll(() => field.inputValue()).toBe("");
  await page.reload();
  await expect.poll(() => field.inputValue()).toBe("A prompt that took a while to write");
  await field.fill("");
});
