// A real Chromium for the page's tests. `npm test` says where it is; a bare vitest run finds it on the usual path.
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

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

export async function launchBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--disable-background-networking",
      "--disable-component-update",
      `--disable-features=${featuresOff.join(",")}`,
    ],
  });
}

let shared: Promise<Browser> | undefined;

/** The browser of this worker, which its test files share: a start costs more than most tests. It ends with the worker. */
export async function sharedBrowser(): Promise<Browser> {
  shared ??= launchBrowser();
  const browser = await shared;
  if (!browser.isConnected()) shared = launchBrowser();
  return await shared;
}

/** A page that stays open would try to reach its host for ever. */
export async function closePages(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()));
}

/** A page that fails the test, with its words, when it throws or prints an error. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; problems: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
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
