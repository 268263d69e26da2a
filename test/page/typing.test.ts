// Ordinary sentences that a person types while a question waits, in the places where they were once taken for an answer.
import { expect, it } from "vitest";
import { askPermission, script, toolCall } from "../support/fake-agent/script.ts";
import { submit } from "../support/fake-host.ts";
import { LateAnswers } from "../support/late-answers.ts";
import type { TestScreen } from "../support/screen.ts";
import { chooseOption } from "./list-box.ts";
import { betweenLetters, pageTests } from "./open-thread.ts";

const tests = pageTests();
const fields = { kind: "execute", rawInput: { command: "make" } };
const asks = [toolCall("c1", fields), askPermission("c1", fields)];
/** Milliseconds between two letters of a person who types. */
const delay = 60;

async function statusOf(screen: TestScreen, threadId: string): Promise<string | undefined> {
  const { rows } = await screen.query("permissions.list", { thread_id: threadId });
  return (rows as readonly { status: string }[])[0]?.status;
}

it("on the start page does not answer the question of a thread that waits", async () => {
  await using thread = await tests.openThread();
  const { page, screen, threadId } = thread;
  await submit(screen, threadId, ...asks);
  await page.getByRole("group", { name: "Question" }).waitFor();
  await thread.goTo("#/");
  await page.getByRole("heading", { name: "What do you want to do?" }).waitFor();
  await page.locator(".thread", { hasText: "waiting for you" }).waitFor();
  // Nothing has the focus: W opens the waiting thread, and the next letters are typed there.
  await page.evaluate("document.activeElement?.blur()");
  await page.keyboard.type("We have a flaky test, and also a dead link", { delay });
  await page.getByRole("group", { name: "Question" }).waitFor();
  await expect.poll(() => statusOf(screen, threadId)).toBe("pending");
});

it("after a click in the list does not answer, and one letter after a pause does", async () => {
  await using thread = await tests.openThread();
  const { page, screen, threadId } = thread;
  await submit(screen, threadId, ...asks);
  await thread.goTo("#/settings");
  await page.locator(".thread", { hasText: "waiting for you" }).click();
  await page.getByRole("group", { name: "Question" }).waitFor();
  await page.keyboard.type("sheets pass, all passed at last", { delay });
  await expect.poll(() => statusOf(screen, threadId)).toBe("pending");
  // Other letters opened other views.
  await thread.goTo();
  await page.reload();
  await page.getByRole("region", { name: "Timeline" }).focus();
  await expect
    .poll(
      async () => {
        await page.keyboard.press("a");
        return await statusOf(screen, threadId);
      },
      { interval: betweenLetters },
    )
    .toBe("allowed");
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
