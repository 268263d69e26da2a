// The start page: the first prompt, folders, reload and restart of the host, errors, and the access token. first-minute.test.ts has the rest.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { borrowPage, closeKeptPages, closePages, openPage, sharedBrowser } from "../support/browser.ts";
import { HostProcess, TemporaryFolder } from "../support/host-process.ts";
import { LateAnswers } from "../support/late-answers.ts";
import { chooseOption } from "./list-box.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterEach((test) => closePages(browser, test));

async function startThread(page: Page, folder: string, prompt: string): Promise<void> {
  // By its role: while a thread is still shown, each of its answers has this name too.
  await chooseOption(page.getByRole("combobox", { name: "Agent", exact: true }), "Signalbox demo");
  await page.getByLabel("Folder", { exact: true }).fill(folder);
  await page.getByLabel("First prompt", { exact: true }).fill(prompt);
  await page.getByLabel("First prompt", { exact: true }).press("Enter");
}

const answer = (page: Page) => page.getByRole("article", { name: "Agent" }).last();
const end = "reached this page.";

/** A host without keys, whose home folder is a temporary one. */
function sharedHost() {
  const folder = new TemporaryFolder();
  const keys = Object.keys(process.env).filter((name) => /_API_KEY$|_AUTH_TOKEN$|^OLLAMA_/.test(name));
  const env = { HOME: folder.path, ...Object.fromEntries(keys.map((name) => [name, undefined])) };
  const started: { host?: HostProcess } = {};
  /** Starts it, or starts it again on its port. */
  const start = async () => {
    const port = started.host?.ready.port ?? 0;
    started.host = await HostProcess.start(folder.in("data"), ["--port", String(port)], env);
  };
  beforeAll(start);
  afterAll(async () => {
    if (started.host !== undefined) await closeKeptPages(started.host.ready.url);
    await started.host?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });
  return {
    folder,
    start,
    get host() {
      if (started.host === undefined) throw new Error("use it inside a test");
      return started.host;
    },
  };
}

describe("the start page", () => {
  const shared = sharedHost();

  it("streams an answer, shows it after a reload and a restart of the host, says why a thread cannot start, and stops with Escape", async () => {
    const { host, folder } = shared;
    const { page, problems, giveBack } = await borrowPage(browser, host.ready.url);
    await expect.poll(() => page.url()).not.toContain("token");

    // The demo repeats the prompt, which takes some time.
    const prompt = `Say **hello** to <b>everybody</b>${" and everybody else".repeat(10)}`;
    // The beginning is shown before the end has arrived. On a busy machine that can be short: every change of the page is looked at.
    await page.evaluate(`
      window.hasStreamed = false;
      new MutationObserver(() => {
        const text = document.querySelector(".track")?.textContent ?? "";
        const isWorking = document.querySelector(".chip.state")?.textContent === "working";
        window.hasStreamed ||= isWorking && text.includes("I am the demo") && !text.includes("${end}");
      }).observe(document.body, { childList: true, subtree: true, characterData: true });
    `);
    await startThread(page, folder.path, prompt);
    await expect.poll(() => page.evaluate("window.hasStreamed")).toBe(true);
    await answer(page).getByText(end).waitFor();
    await page.locator(".chip.state", { hasText: "done" }).waitFor();
    await page.locator(".end").getByText("done").waitFor();
    // The prompt is shown as text, never as markup.
    await expect.poll(() => page.getByRole("article", { name: "You" }).locator(".bubble").textContent()).toBe(prompt);
    const timeline = () => page.locator(".track").innerText();
    const before = await timeline();

    await page.reload();
    await answer(page).getByText(end).waitFor();
    await expect.poll(timeline).toBe(before);
    expect(problems).toEqual([]);

    await host.stop();
    await page.getByText("Disconnected.").waitFor();
    await shared.start();
    await page.getByText("Disconnected.").waitFor({ state: "hidden" });
    await expect.poll(timeline).toBe(before);

    // The thread continues without a reload.
    await page.getByLabel("Prompt", { exact: true }).fill("And again");
    await page.getByLabel("Prompt", { exact: true }).press("Enter");
    await expect.poll(() => page.getByRole("article", { name: "Agent" }).filter({ hasText: end }).count()).toBe(2);
    expect(shared.host.ready.port).toBe(host.ready.port);

    // A thread that cannot start says why, and the prompt stays.
    await page.getByRole("link", { name: "New thread", exact: true }).click();
    await startThread(page, folder.in("nowhere"), "Hello");
    await expect
      .poll(() => page.getByRole("alert").textContent())
      .toBe(`The folder ${folder.in("nowhere")} does not exist.`);
    await expect.poll(() => page.getByLabel("First prompt", { exact: true }).inputValue()).toBe("Hello");

    await startThread(page, folder.path, "word ".repeat(1000));
    await answer(page).getByText("I am the demo").waitFor();
    await page.getByLabel("Prompt", { exact: true }).press("Escape");
    await page.getByText("Press Esc again to stop").waitFor();
    await page.getByLabel("Prompt", { exact: true }).press("Escape");
    await page.locator(".end").getByText("stopped").waitFor();
    await giveBack();
  });

  it("offers recent folders and existing ones, ~ too, shows the branch, and starts in a folder of the list", async () => {
    const project = shared.folder.in("project");
    mkdirSync(project);
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", project, "-c", "user.name=T", "-c", "user.email=t@example.org", ...args]);
    git("init", "-q", "-b", "harbour");
    git("commit", "-q", "--allow-empty", "-m", "first");
    const { page, giveBack } = await borrowPage(browser, shared.host.ready.url);
    const folder = page.getByLabel("Folder", { exact: true });
    await folder.fill("~/pro");
    await page.getByRole("listbox").getByRole("option", { name: "~/project" }).waitFor();
    await folder.press("ArrowDown");
    await folder.press("Enter");
    await expect.poll(() => folder.inputValue()).toBe("~/project");
    await page.locator(".branch", { hasText: "harbour" }).waitFor();
    await startThread(page, "~/project", "think: of a harbour");
    await page.locator(".chip.folder", { hasText: "~/project" }).waitFor();

    await page.getByRole("link", { name: "New thread in ~/project" }).click();
    await expect.poll(() => folder.inputValue()).toBe("~/project");
    await folder.fill("");
    await folder.blur();
    await folder.click();
    const recent = page.getByRole("listbox", { name: "Recent" });
    await recent.getByRole("option", { name: "~/project" }).click();
    await expect.poll(() => folder.inputValue()).toBe("~/project");
    await giveBack();
  });

  it("changes nothing under the person's hands when answers come late, and asks again for those that failed", async () => {
    mkdirSync(shared.folder.in("landing-stage"));
    const { page } = await openPage(browser, "about:blank");
    const answers = await LateAnswers.on(page);
    answers.hold("setup.get");
    answers.fail("agents.list");
    answers.fail("config.get");
    await page.goto(shared.host.ready.url);
    const folder = page.getByLabel("Folder", { exact: true });
    await folder.selectText();
    await page.getByRole("alert").getByText("The agents could not be loaded: The disk is busy.").waitFor();
    const top = async () => (await page.getByRole("heading", { name: "What do you want to do?" }).boundingBox())?.y;
    const before = await top();
    answers.letThrough("agents.list");
    answers.letThrough("setup.get");
    // Drawn when both are there. The folder that the host proposes came with them.
    await page.getByRole("region", { name: "No model yet" }).waitFor();
    expect(await top()).toBe(before);
    await page.keyboard.insertText("~/land");
    await page.getByRole("listbox").getByRole("option", { name: "~/landing-stage" }).waitFor();
    await expect.poll(() => folder.inputValue()).toBe("~/land");

    // Forms that do not know what is written are not shown.
    await page.goto(new URL("/#/settings", shared.host.ready.url).href);
    await page.getByRole("alert").getByText("The settings could not be loaded: The disk is busy.").waitFor();
    await expect.poll(() => page.getByRole("region", { name: "Budget and limits" }).count()).toBe(0);
    answers.letThrough("config.get");
    await page.getByRole("region", { name: "Budget and limits" }).waitFor();
    await page.context().close();
  });

  it("asks for the full address when it has no valid token", async () => {
    const address = `http://127.0.0.1:${shared.host.ready.port}/`;
    const { page } = await openPage(browser, address);
    await page.getByText("needs the full address").waitFor();
    // Another hash alone would load nothing.
    await page.goto("about:blank");
    await page.goto(`${address}#token=of-another-host`);
    await page.getByText("access token of this page is not valid").waitFor();
    await page.context().close();
  });
});
