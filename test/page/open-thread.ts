// A thread of the fake agent that is open in a real Chromium: what most page tests begin with.
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { openPage } from "../support/browser.ts";
import { FakeHost, type FakeHostOptions } from "../support/fake-host.ts";
import type { TestScreen } from "../support/screen.ts";

export class OpenThread implements AsyncDisposable {
  readonly host: FakeHost;
  readonly screen: TestScreen;
  readonly threadId: string;
  readonly page: Page;
  readonly problems: string[];

  private constructor(host: FakeHost, screen: TestScreen, threadId: string, page: Page, problems: string[]) {
    this.host = host;
    this.screen = screen;
    this.threadId = threadId;
    this.page = page;
    this.problems = problems;
  }

  static async start(
    browser: Browser,
    options: FakeHostOptions = {},
    look: BrowserContextOptions = {},
  ): Promise<OpenThread> {
    const host = await FakeHost.start(options);
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const { page, problems } = await openPage(browser, host.process.ready.url, look);
    const thread = new OpenThread(host, screen, threadId, page, problems);
    await thread.open();
    return thread;
  }

  /** Opens the thread, or another place of the page. */
  async open(hash = `#/thread/${this.threadId}`): Promise<void> {
    await this.page.goto(`http://127.0.0.1:${this.host.process.ready.port}/${hash}`);
    if (hash.startsWith("#/thread") && !hash.endsWith("/register"))
      await this.page.getByRole("region", { name: "Timeline" }).waitFor();
  }

  get prompt() {
    return this.page.getByLabel("Prompt", { exact: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close();
    await this.host[Symbol.asyncDispose]();
  }
}
