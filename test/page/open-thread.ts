// Opens a thread of the fake agent in a real Chromium. The tests of a worker share a browser, a host for each set of options, and a page of that
// host; each test has a thread and a folder of its own, which is deleted afterwards.
import { mkdirSync } from "node:fs";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, onTestFailed } from "vitest";
import { borrowPage, closeKeptPages, closePages, openPage, screenOf, sharedBrowser } from "../support/browser.ts";
import { FakeHost, type FakeHostOptions } from "../support/fake-host.ts";
import type { TestScreen } from "../support/screen.ts";
import { workerHost } from "../support/shared-host.ts";

/** A letter answers a question only after a pause in typing, so a test presses it again no sooner. */
export const betweenLetters = 1200;

interface PageTests {
  readonly browser: Browser;
  /**
   * Opens a thread on the worker's host. Without options for its context, or with only a size, it uses a page again that an earlier test left as
   * it was: also routes, permissions and media. A test that changes what cannot be put back (scripts) passes other options, also none, and gets a page
   * of its own.
   */
  readonly openThread: (context?: BrowserContextOptions) => Promise<OpenThread>;
  /** The same on the worker's host, which has this agent and config until the test has ended. */
  readonly openThreadWith: (settings: Pick<FakeHostOptions, "agentArgs" | "config">) => Promise<OpenThread>;
  /** For tests that stop the host or count all threads. */
  readonly openThreadOnOwnHost: (options?: FakeHostOptions, context?: BrowserContextOptions) => Promise<OpenThread>;
}

/** Starts browser and host before the tests of a file, unless the worker has them. A host with a prepared folder ends after the file. */
export function pageTests(options: FakeHostOptions = {}): PageTests {
  const started: { browser?: Browser; host?: FakeHost } = {};
  beforeAll(async () => {
    started.browser = await sharedBrowser();
    started.host = options.prepare === undefined ? await workerHost(options) : await FakeHost.start(options);
  });
  afterAll(async () => {
    const { browser, host } = started;
    if (browser !== undefined) await closePages(browser);
    if (host === undefined || options.prepare === undefined) return;
    await closeKeptPages(host.process.ready.url);
    await host[Symbol.asyncDispose]();
  });
  const running = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error("use it inside a test");
    return part;
  };
  return {
    get browser() {
      return running(started.browser);
    },
    openThread: (context) => {
      const hasMany = options.prepare !== undefined;
      return OpenThread.open(running(started.browser), running(started.host), context, { hasMany });
    },
    openThreadWith: async (settings) => {
      const host = running(started.host);
      await host.configure({ ...options, ...settings });
      const onEnd = () => host.configure(options);
      return await OpenThread.open(running(started.browser), host, undefined, { onEnd });
    },
    openThreadOnOwnHost: async (own, context = {}) => {
      const host = await FakeHost.start(own);
      return await OpenThread.open(running(started.browser), host, context, { ownsHost: true });
    },
  };
}

/** The position of an element once it has been the same for some frames. */
export function restingTop(place: Locator): Promise<number> {
  return place.evaluate(async (element) => {
    let last = Number.NaN;
    for (let frames = 0; frames < 12; ) {
      await new Promise((resolve) => element.ownerDocument.defaultView?.requestAnimationFrame(resolve));
      const now = Math.round(element.getBoundingClientRect().top);
      frames = now === last ? frames + 1 : 0;
      last = now;
    }
    return last;
  });
}

async function threadIds(screen: TestScreen): Promise<readonly string[]> {
  const listed = await screen.query("threads.list", { limit: 200 });
  return listed.rows.map(({ id }) => id);
}

/** What is to do when a test has ended. */
interface Ending {
  readonly ownsHost?: boolean;
  readonly onEnd?: () => Promise<void>;
  /** Of a host with many threads, a test deletes itself what it begins besides its own thread. */
  readonly hasMany?: boolean;
}

let folders = 0;

class OpenThread implements AsyncDisposable {
  readonly host: FakeHost;
  readonly screen: TestScreen;
  readonly threadId: string;
  /** The thread's folder. */
  readonly folder: string;
  readonly page: Page;
  /** Errors of the page. */
  readonly problems: string[];
  /** Gives the page back, or closes it. */
  readonly #leavePage: () => Promise<void>;
  readonly #ownsHost: boolean;
  /** The threads that the host had before. */
  readonly #known: readonly string[] | undefined;
  readonly #onEnd: () => Promise<void>;
  #lastScreen = "nothing was on the screen yet";

  private constructor(
    parts: Pick<OpenThread, "host" | "screen" | "threadId" | "folder" | "page" | "problems">,
    leavePage: () => Promise<void>,
    known: readonly string[] | undefined,
    { ownsHost = false, onEnd = async () => {} }: Ending,
  ) {
    this.host = parts.host;
    this.screen = parts.screen;
    this.threadId = parts.threadId;
    this.folder = parts.folder;
    this.page = parts.page;
    this.problems = parts.problems;
    this.#leavePage = leavePage;
    this.#ownsHost = ownsHost;
    this.#known = known;
    this.#onEnd = onEnd;
  }

  static async open(
    browser: Browser,
    host: FakeHost,
    context?: BrowserContextOptions,
    ending: Ending = {},
  ): Promise<OpenThread> {
    const folder = host.folder.in(`project-${++folders}`);
    mkdirSync(folder);
    const screen = await host.screen();
    const known = ending.hasMany === true ? undefined : await threadIds(screen);
    const threadId = await host.thread(screen, folder);
    const { url } = host.process.ready;
    const { viewport, ...others } = context ?? {};
    const isUsual =
      ending.ownsHost !== true && Object.keys(others).length === 0 && (context === undefined || !!viewport);
    const { page, problems, giveBack } = isUsual
      ? await borrowPage(browser, url, viewport ?? undefined)
      : { ...(await openPage(browser, url, context)), giveBack: undefined };
    const leavePage = giveBack ?? (() => page.context().close());
    const thread = new OpenThread({ host, screen, threadId, folder, page, problems }, leavePage, known, ending);
    // The page is given back before the test is known to have failed.
    onTestFailed(({ task }) => console.log(`${task.name}: ${thread.#lastScreen}`));
    await thread.goTo();
    return thread;
  }

  /** Shows the thread, or another view. */
  async goTo(hash = `#/thread/${this.threadId}`): Promise<void> {
    await this.page.goto(`http://127.0.0.1:${this.host.process.ready.port}/${hash}`);
    // What was shown before is gone with the next frame: another thread has a timeline too.
    await this.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    if (/^#\/thread\/[^/]+$/.test(hash)) await this.page.getByRole("region", { name: "Timeline" }).first().waitFor();
  }

  /** The same view on a second, small device. */
  async onPhone(): Promise<AsyncDisposable & { readonly page: Page }> {
    const { browser } = this;
    const { page, giveBack } = await borrowPage(browser, this.host.process.ready.url, { width: 400, height: 800 });
    await page.goto(this.page.url());
    return { page, [Symbol.asyncDispose]: giveBack };
  }

  get browser(): Browser {
    const browser = this.page.context().browser();
    if (browser === null) throw new Error("the browser has ended");
    return browser;
  }

  /** The id of the thread that the page shows now. */
  get shownId(): string {
    return new URL(this.page.url()).hash.replace("#/thread/", "");
  }

  get prompt() {
    return this.page.getByLabel("Prompt", { exact: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#lastScreen = await screenOf(this.page);
    await this.#leavePage();
    if (this.#ownsHost) {
      await this.host[Symbol.asyncDispose]();
      return;
    }
    // The next test would see them in the list, and a question that still waits.
    const known = this.#known;
    const begun = known === undefined ? [] : (await threadIds(this.screen)).filter((id) => !known.includes(id));
    for (const thread_id of new Set([this.threadId, ...begun]))
      await this.screen.request({ control: "session.delete", thread_id });
    this.screen[Symbol.dispose]();
    await this.#onEnd();
  }
}
