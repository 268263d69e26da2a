// Measures the page in a real Chromium: time to show a thread by its length, frames while text streams in and while a person scrolls, memory,
// and the size of the entry bundle.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { type Benchmark, median, quantile, type Report } from "../../../test/bench/bench.ts";
import { launchBrowser } from "../../../test/support/browser.ts";
import { ScriptedHost } from "./scripted-host.ts";

const rounds = 7;

const benchmark: Benchmark = async (report) => {
  reportBundle(report);
  const browser = await launchBrowser();
  try {
    await reportFirstSight(browser, report);
    await reportStreaming(browser, report);
    await reportWheel(browser, report);
  } finally {
    await browser.close();
  }
};
export default benchmark;

function reportBundle(report: Report): void {
  const dist = join(import.meta.dirname, "../dist");
  // Every script in the document: the entry and its preloads.
  const named = readFileSync(join(dist, "index.html"), "utf8").matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g);
  const sizes = [...named].map(([, path = ""]) => gzipSync(readFileSync(join(dist, path)), { level: 9 }).length);
  const size = sizes.reduce((sum, bytes) => sum + bytes, 0) / 1000;
  const chunks = readdirSync(join(dist, "assets")).filter((name) => name.endsWith(".js")).length;
  report({
    title: "entry bundle, gzip, in thousand bytes",
    value: size,
    unit: "count",
    target: 170,
    note: `${sizes.length} scripts that load first, of ${chunks} in all`,
  });
}

async function reportFirstSight(browser: Browser, report: Report): Promise<void> {
  await using short = await ScriptedHost.start({ items: 5000 });
  await using long = await ScriptedHost.start({ items: 100_000 });
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const times = { short: [] as number[], long: [] as number[] };
  // The first round fills the cache and does not count.
  for (let round = 0; round <= rounds; round++) {
    for (const [name, host] of [["short", short] as const, ["long", long] as const]) {
      const page = await context.newPage();
      const time = await timeToThread(page, host.port);
      if (round > 0) times[name].push(time);
      await page.close();
    }
  }
  await context.close();
  const [few, many] = [median(times.short), median(times.long)];
  report({ title: "first sight of a thread of 5,000 items after load", value: few, unit: "ms", target: 500 });
  report({
    title: "first sight of 100,000 items over 5,000",
    value: many / few,
    unit: "x",
    target: 1.3,
    note: `${many.toFixed(0)} ms over ${few.toFixed(0)} ms`,
  });
}

/** From the beginning of the navigation to the frame after the newest item is in the document. */
async function timeToThread(page: Page, port: number): Promise<number> {
  await page.addInitScript(`
    window.timeToThread = new Promise((resolve) => {
      new MutationObserver((_, observer) => {
        if (document.querySelector(".place") === null) return;
        observer.disconnect();
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())));
      }).observe(document, { childList: true, subtree: true });
    });
    localStorage.setItem("signalbox.token", "bench");
  `);
  await page.goto(`http://127.0.0.1:${port}/#/thread/bench`);
  return await page.evaluate("window.timeToThread");
}

async function reportStreaming(browser: Browser, report: Report): Promise<void> {
  // All 5,000 are loaded, as if the person had scrolled through the whole thread: more than the host's snapshot carries.
  await using host = await ScriptedHost.start({ items: 5000, page: 5000 });
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  await timeToThread(page, host.port);
  const session = await context.newCDPSession(page);
  await host.stream({ items: 5000, rate: 200, seconds: 2 });
  // The same page without updates, to compare.
  const idle = await framesDuring(page, () => new Promise((resolve) => setTimeout(resolve, 3000)));
  let sent = 0;
  const frames = await framesDuring(page, async () => {
    sent = await host.stream({ items: 5400, rate: 200, seconds: 10 });
  });
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = (await session.send("Runtime.getHeapUsage")) as { usedSize: number };
  await context.close();
  const note = `${sent} updates in 10 s, ${frames.length} frames, at rest ${quantile(idle, 0.95).toFixed(1)} ms and at most ${Math.max(...idle).toFixed(0)}`;
  report({
    title: "frame while 200 updates a second stream in, p95",
    value: quantile(frames, 0.95),
    unit: "ms",
    target: 33,
    note,
  });
  report({ title: "longest frame while streaming", value: Math.max(...frames), unit: "ms", target: 100 });
  report({ title: "heap after streaming into 5,000 loaded items", value: usedSize / 1e6, unit: "MB", target: 60 });
}

/** As fast as a wheel that is thrown: about 1,000 pixels in each frame, up and down again. */
async function reportWheel(browser: Browser, report: Report): Promise<void> {
  await using host = await ScriptedHost.start({ items: 6000, page: 6000 });
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  await timeToThread(page, host.port);
  await page.evaluate(`{
    window.longTasks = [];
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longTasks.push(duration);
    }).observe({ type: "longtask" });
  }`);
  await page.mouse.move(640, 430);
  let turns = 0;
  const frames = await framesDuring(page, async () => {
    const end = performance.now() + 10_000;
    for (; performance.now() < end; turns++) await page.mouse.wheel(0, turns % 400 < 200 ? -1000 : 1000);
  });
  const longTasks = await page.evaluate<number[]>("window.longTasks");
  await context.close();
  report({
    title: "frame during a fast wheel through 6,000 items, p95",
    value: quantile(frames, 0.95),
    unit: "ms",
    target: 33,
    note: `${turns} turns of 1,000 pixels in 10 s, ${frames.length} frames, the longest ${Math.max(...frames).toFixed(0)} ms`,
  });
  report({
    title: "long tasks (over 50 ms) during it",
    value: longTasks.length,
    unit: "count",
    target: 0,
    note: longTasks.length === 0 ? "" : `the longest ${Math.max(...longTasks).toFixed(0)} ms`,
  });
}

async function framesDuring(page: Page, work: () => Promise<unknown>): Promise<readonly number[]> {
  await page.evaluate(`{
    const times = (window.frameTimes = []);
    let last = performance.now();
    const tick = (now) => {
      if (window.frameTimes !== times) return;
      times.push(now - last);
      last = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }`);
  await work();
  const frames = await page.evaluate<number[]>("window.frameTimes");
  await page.evaluate("window.frameTimes = null");
  return frames.slice(2);
}
