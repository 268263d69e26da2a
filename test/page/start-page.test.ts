// The start page: the demo, the first prompt, reload and restart of the host, errors, and the access token.
import { readdirSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { closePages, openPage, sharedBrowser } from "../support/browser.ts";
import { HostProcess, TemporaryFolder } from "../support/host-process.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterEach(() => closePages(browser));

async function startThread(page: Page, folder: string, prompt: string): Promise<void> {
  await page.getByLabel("Agent", { exact: true }).selectOption({ label: "Signalbox demo" });
  await page.getByLabel("Folder", { exact: true }).fill(folder);
  await page.getByLabel("First prompt", { exact: true }).fill(prompt);
  await page.getByLabel("First prompt", { exact: true }).press("Enter");
}

const answer = (page: Page) => page.getByRole("article", { name: "Agent" }).last();
const end = "reached this page.";

describe("the page", () => {
  it("shows a new user what is installed, and a demo with permissions and edits", async () => {
    using folder = new TemporaryFolder();
    await using host = await HostProcess.start(folder.in("data"));
    const { page, problems } = await openPage(browser, host.ready.url);
    const found = page.getByRole("region", { name: "Installed agents" });
    await found.getByText("Signalbox demo").waitFor();
    await found.getByRole("button", { name: "Try the demo" }).click();
    await page.getByLabel("Folder", { exact: true }).fill(folder.path);
    await page.getByRole("button", { name: "Start" }).click();
    const question = page.getByRole("group", { name: "Question" });
    for (const asked of ["Hello from the demo.", "Good day", "$ cat signalbox-demo.txt && rm signalbox-demo.txt"]) {
      await question.getByText(asked).first().waitFor();
      await question.getByRole("button", { name: /^Allow once/ }).click();
    }
    await page.locator(".chip.state", { hasText: "done" }).waitFor();
    const command = page
      .getByRole("article", { name: /^Tool call: `cat/ })
      .getByRole("button")
      .first();
    if ((await command.getAttribute("aria-expanded")) === "false") await command.click();
    await page.getByRole("region", { name: "Output of" }).getByText("Good day from the demo.").waitFor();
    expect(await page.locator(".diff").count()).toBeGreaterThan(0);
    // The demo leaves no files.
    expect(readdirSync(folder.path)).toEqual(["data"]);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it("streams an answer, and shows it after a reload and after a restart of the host", async () => {
    using folder = new TemporaryFolder();
    await using host = await HostProcess.start(folder.in("data"));
    const { page, problems } = await openPage(browser, host.ready.url);
    expect(page.url()).not.toContain("token");

    // The demo repeats the prompt, which takes some time.
    const prompt = `Say **hello** to <b>everybody</b>${" and everybody else".repeat(40)}`;
    await startThread(page, folder.path, prompt);
    // The beginning is shown before the end has arrived.
    await page.getByRole("article", { name: "Agent" }).first().getByText("I am the demo").waitFor();
    expect(await answer(page).textContent()).not.toContain(end);
    await expect.poll(() => page.locator(".chip.state").textContent()).toBe("working");
    await answer(page).getByText(end).waitFor();
    await page.locator(".chip.state", { hasText: "done" }).waitFor();
    // The prompt is shown as text, never as markup.
    expect(await page.getByRole("article", { name: "You" }).locator(".bubble").textContent()).toBe(prompt);
    const timeline = () => page.locator(".track").innerText();
    const before = await timeline();

    await page.reload();
    await answer(page).getByText(end).waitFor();
    await expect.poll(timeline).toBe(before);
    expect(problems).toEqual([]);

    await host.stop();
    await page.getByText("Disconnected.").waitFor();
    await using again = await HostProcess.start(folder.in("data"), ["--port", String(host.ready.port)]);
    await page.getByText("Disconnected.").waitFor({ state: "hidden" });
    await expect.poll(timeline).toBe(before);

    // The thread continues without a reload.
    await page.getByLabel("Prompt", { exact: true }).fill("And again");
    await page.getByLabel("Prompt", { exact: true }).press("Enter");
    await answer(page).getByText(end).waitFor();
    await page.getByText("And again").first().waitFor();
    expect(again.ready.port).toBe(host.ready.port);
    await page.context().close();
  });
});

/** A host without keys, whose home folder is a temporary one. */
function sharedHost() {
  const started: { host?: HostProcess; folder?: TemporaryFolder } = {};
  beforeAll(async () => {
    started.folder = new TemporaryFolder();
    const keys = Object.keys(process.env).filter((name) => /_API_KEY$|_AUTH_TOKEN$|^OLLAMA_/.test(name));
    const env = { HOME: started.folder.path, ...Object.fromEntries(keys.map((name) => [name, undefined])) };
    started.host = await HostProcess.start(started.folder.in("data"), ["--port", "0"], env);
  });
  afterAll(async () => {
    await started.host?.[Symbol.asyncDispose]();
    started.folder?.[Symbol.dispose]();
  });
  return {
    get host() {
      if (started.host === undefined) throw new Error("use it inside a test");
      return started.host;
    },
    get folder() {
      if (started.folder === undefined) throw new Error("use it inside a test");
      return started.folder;
    },
  };
}

describe("the start page", () => {
  const shared = sharedHost();

  it("accepts ~ for the home folder, and says when an agent has no model", async () => {
    const { page } = await openPage(browser, shared.host.ready.url);
    await page.getByLabel("Agent", { exact: true }).selectOption({ label: "Signalbox (needs login)" });
    const reason = page.locator(".hint", { hasText: "No model is set up. Set a key in the environment" });
    await reason.getByRole("link", { name: "How to set a key" }).waitFor();
    await startThread(page, "~", "run pwd");
    expect(await reason.count()).toBe(0);
    await page.locator(".chip.folder", { hasText: "~" }).waitFor();
    await page.context().close();
  });

  it("stops a turn with Escape", async () => {
    const { page } = await openPage(browser, shared.host.ready.url);
    await startThread(page, shared.folder.path, "word ".repeat(1000));
    await page.getByRole("article", { name: "Agent" }).first().getByText("I am the demo").waitFor();
    await page.getByLabel("Prompt", { exact: true }).press("Escape");
    await page.getByText("stopped").waitFor();
    await page.context().close();
  });

  it("shows why a thread cannot start, and keeps the prompt", async () => {
    const { page } = await openPage(browser, shared.host.ready.url);
    await startThread(page, shared.folder.in("nowhere"), "Hello");
    await expect
      .poll(() => page.getByRole("alert").textContent())
      .toBe(`The folder ${shared.folder.in("nowhere")} does not exist.`);
    expect(await page.getByLabel("First prompt", { exact: true }).inputValue()).toBe("Hello");
    await page.context().close();
  });

  it("asks for the full address when it has no valid token", async () => {
    const address = `http://127.0.0.1:${shared.host.ready.port}/`;
    const without = await openPage(browser, address);
    await without.page.getByText("needs the full address").waitFor();
    await without.page.context().close();
    const stale = await openPage(browser, `${address}#token=of-another-host`);
    await stale.page.getByText("access token of this page is not valid").waitFor();
    await stale.page.context().close();
  });
});
