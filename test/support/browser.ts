// A real Chromium for the page's tests. `npm test` says where it is; a bare vitest run finds it on the usual path.
import { type Browser, type BrowserContextOptions, chromium, type Page, type ViewportSize } from "playwright-core";
import type { TestContext } from "vitest";

/**
 * Chromium draws the list under its address bar as two pages of its own for every context, which costs more than most tests do, and starts a
 * process for a next page that does not come. It obeys only the last list of features, so this one repeats what Playwright turns off on every
 * system.
 */
const featuresOff = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "SpareRendererForSitePerProcess",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
];

const windowed = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";

/** A whole Chromium, with the window that no one sees: notifications need one. */
export async function launchBrowser(executablePath = windowed): Promise<Browser> {
  return await chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--disable-background-networking",
      "--disable-component-update",
      // A page of a test does not live long enough to gain from code that is compiled for speed.
      "--js-flags=--no-turbofan --no-maglev",
      `--disable-features=${featuresOff.join(",")}`,
    ],
  });
}

let shared: Promise<Browser> | undefined;

/**
 * The browser of this worker, which its test files share: a start costs more than most tests. It ends with the worker. `npm test` says where there
 * is one that draws no window.
 */
export async function sharedBrowser(): Promise<Browser> {
  const shell = process.env.CHROMIUM_SHELL_PATH;
  shared ??= launchBrowser(shell);
  const browser = await shared;
  if (!browser.isConnected()) shared = launchBrowser(shell);
  return await shared;
}

/** A page, and what it reported: a test that expects no errors checks that `problems` is empty. */
interface OpenPage {
  readonly page: Page;
  readonly problems: string[];
}

/** A page in a context of its own. Its test closes the context. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
  // A service worker for each context costs more than most tests; those about it allow it.
  const context = await browser.newContext({ viewport, serviceWorkers: "block", ...options });
  await context.addInitScript("window.widthAtLoad = innerWidth;");
  const page = await context.newPage();
  // Only a test that fails waits so long; on a busy machine a step may need most of it.
  page.setDefaultTimeout(45_000);
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(`page error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`console: ${message.text()}`);
  });
  await page.goto(url);
  return { page, problems };
}

const viewport: ViewportSize = { width: 1280, height: 860 };

/** Pages that no test uses now, by the address of their host. */
const idlePages = new Map<string, OpenPage[]>();

/** A page of this size that a test has for some time. */
interface BorrowedPage extends OpenPage {
  readonly giveBack: () => Promise<void>;
}

/**
 * A page that an earlier test may have used, at the address of a host: a new one costs more than most tests do with it. `giveBack` makes it as
 * it was for the next test, or closes it.
 */
export async function borrowPage(browser: Browser, url: string, size: ViewportSize = viewport): Promise<BorrowedPage> {
  const { host } = new URL(url);
  const opened = idlePages.get(host)?.pop() ?? (await openPage(browser, url));
  opened.problems.length = 0;
  await resize(opened.page, size);
  const giveBack = async () => {
    if (await reset(opened.page, url).catch(() => false)) idlePages.set(host, [...(idlePages.get(host) ?? []), opened]);
    else await opened.page.context().close();
  };
  return { ...opened, giveBack };
}

async function resize(page: Page, { width, height }: ViewportSize): Promise<void> {
  const size = page.viewportSize();
  if (size?.width !== width || size.height !== height) await page.setViewportSize({ width, height });
}

/**
 * Takes the focus away, and says whether nothing is open, noticed, filtered or stored, and the page was loaded in the usual width: a narrow one starts
 * without Details. What is stored of threads that are deleted does not count. The next Tab starts where the focus was last, also when it is there no
 * more, so the focus is once on the whole page.
 */
const isAsNew = `{
  document.body.tabIndex = -1;
  document.body.focus();
  document.body.blur();
  document.body.removeAttribute("tabindex");
  const harmless = /^signalbox\\.(token|first-visit|seen|draft\\.t.*)$/;
  const left = [...Object.keys(localStorage).filter((name) => !harmless.test(name)), ...Object.keys(sessionStorage)];
  const isFiltered = document.querySelector(".threads input[type=search]")?.value !== "";
  const others = "dialog[open], [role=menu], [role=listbox], .undo p, .threads [aria-pressed=true]";
  left.length === 0 && !isFiltered && window.widthAtLoad === ${viewport.width} && document.querySelector(others) === null;
}`;

/** Shows the start page as a new user sees it. Loads it again only if something is open or stored: code that is loaded and compiled is fast. */
async function reset(page: Page, url: string): Promise<boolean> {
  if (page.context().pages().length > 1) return false;
  await page.unrouteAll();
  await page.context().clearPermissions();
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  await resize(page, viewport);
  await page.goto(new URL("/#/", url).href);
  await page.mouse.move(0, 0);
  if (await page.evaluate<boolean>(isAsNew)) return true;
  await page.evaluate("localStorage.clear(); sessionStorage.clear();");
  await page.goto(url);
  await page.reload();
  return true;
}

/** What stands in the fields, which is no text of the page, and which of them has the focus. */
const fieldsOfPage = `[...document.querySelectorAll("input, textarea, select")]
  .map((field) => (field.getAttribute("aria-label") ?? field.labels?.[0]?.innerText ?? field.className) + ": " +
    JSON.stringify(field.type === "checkbox" ? field.checked : field.value) + (field === document.activeElement ? " (focus)" : ""))
  .join("\\n")`;

/** What is on the screen, for a test that failed. */
export async function screenOf(page: Page): Promise<string> {
  try {
    const text = await page.locator("body").innerText({ timeout: 5000 });
    const fields = await page.evaluate<string>(fieldsOfPage);
    // The beginning is the list and the head, the end the question and the prompt.
    const shown = text.length <= 6000 ? text : `${text.slice(0, 3000)}\n […]\n${text.slice(-3000)}`;
    return `on the screen at ${page.url()}\n${shown}\nFields:\n${fields.slice(0, 2000)}`;
  } catch (error) {
    return `on the screen at ${page.url()}: not known, ${String(error)}`;
  }
}

/**
 * Closes the pages of a test that has ended; one that stays open would try to reach its host for ever. Those that are kept stay. Of a test that
 * failed it prints what was on the screen, because a failure on another machine cannot be looked at again.
 */
export async function closePages(browser: Browser, test?: TestContext): Promise<void> {
  const kept = new Set([...idlePages.values()].flat().map(({ page }) => page.context()));
  const others = browser.contexts().filter((context) => !kept.has(context));
  if (test?.task.result?.state === "fail") {
    for (const page of others.flatMap((context) => context.pages()))
      console.log(`${test.task.name}: ${await screenOf(page)}`);
  }
  await Promise.all(others.map((context) => context.close()));
}

/** Closes the pages that are kept for a host, which is about to end. */
export async function closeKeptPages(url: string): Promise<void> {
  const { host } = new URL(url);
  const kept = idlePages.get(host) ?? [];
  idlePages.delete(host);
  await Promise.all(kept.map(({ page }) => page.context().close()));
}
