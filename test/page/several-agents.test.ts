// A thread with text into a running turn, another agent and further folders, as a person at the page sees it.
import { mkdirSync } from "node:fs";
import { expect, it } from "vitest";
import { askPermission, fakeAgentFile, script } from "../support/fake-agent/script.ts";
import { question, run, submit, turnEnd } from "../support/fake-host.ts";
import { chooseOption } from "./list-box.ts";
import { pageTests } from "./open-thread.ts";

const initialize = JSON.stringify({
  _meta: { steering: { supported: true } },
  agentCapabilities: { sessionCapabilities: { additionalDirectories: {} } },
});
const agent = (label: string, ...args: readonly string[]) => ({
  command: process.execPath,
  args: ["--no-warnings", fakeAgentFile, ...args],
  label,
});
const agents = {
  fake: agent("First", "--initialize", initialize, "--steering", JSON.stringify({ outcome: "injected" })),
  second: agent("Second"),
};
const tests = pageTests({ config: { agents } });

it("steers or queues as the person chooses, hands over, and works in several folders", async () => {
  await using thread = await tests.openThread();
  const { page, screen, threadId, prompt } = thread;
  const turn = await submit(screen, threadId, { say: "working" }, askPermission("t"));
  const { permission_id } = await question(screen, threadId);
  await prompt.fill("be quick");
  await page.getByRole("button", { name: "Steer" }).click();
  await page.getByText("Sent into the running turn").waitFor();
  await page.getByRole("article", { name: "You" }).getByText("be quick").waitFor();
  await prompt.fill(script({ say: "later" }));
  await page.getByRole("button", { name: "Queue" }).click();
  await page.getByRole("list", { name: "Queued prompts" }).getByText("later").waitFor();
  await screen.request({ control: "permission.respond", thread_id: threadId, permission_id, option_id: "yes" });
  await turnEnd(screen, turn);
  await page.getByRole("article", { name: "Agent" }).getByText("later").waitFor();
  // Where the agent does not take it, or no turn runs, the button is not there.
  await expect.poll(() => page.getByRole("button", { name: "Steer" }).count()).toBe(0);

  await page
    .locator(".head")
    .getByRole("button", { name: /^More for/ })
    .click();
  await page.getByRole("menuitem", { name: "Hand over …" }).click();
  const dialog = page.getByRole("dialog", { name: "Hand over to another agent" });
  await chooseOption(dialog.getByRole("combobox", { name: "Agent", exact: true }), "Second");
  await dialog.getByRole("button", { name: "Hand over" }).click();
  await dialog.waitFor({ state: "detached" });
  await expect.poll(() => page.locator(".head .chip.agent").innerText()).toBe("Second");
  await run(screen, threadId, { say: "from the second" });
  await expect.poll(() => page.locator(".agent-line").last().innerText()).toBe("Second");
  await expect.poll(() => page.locator(".end").last().innerText()).toContain("Second");
  await page.getByRole("region", { name: "Timeline" }).press("Home");
  await expect.poll(() => page.locator(".agent-line").first().innerText()).toBe("First");

  const further = thread.host.folder.in("further");
  mkdirSync(further);
  await thread.goTo("#/");
  await chooseOption(page.getByRole("combobox", { name: "Agent", exact: true }), "First");
  await page.getByLabel("Folder", { exact: true }).fill(thread.folder);
  await page.getByRole("button", { name: "Add folder" }).click();
  await page.getByLabel("Folder 2").fill(further);
  await page.getByLabel("First prompt").fill(script({ heard: "session/new" }));
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByText(`"additionalDirectories":["${further}"]`).waitFor();
  await expect
    .poll(() => page.locator(".head .chip.folder").getAttribute("title"))
    .toBe(`${thread.folder}\n${further}`);
  await expect.poll(() => page.locator(".head .chip.folder").innerText()).toMatch(/\+1$/);
  expect(thread.problems).toEqual([]);
});
