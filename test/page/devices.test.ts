// A phone as a screen: it is paired by its code, gets a question as a notification with Review and Deny, says when it is offline, and is out when it is
// removed. There is no push service: what the browser would ask it for is answered here, and the message is handed to the browser as if one had
// sent it. How the host encrypts and signs it, and that the keys of a browser open it, is tested beside packages/host/src/devices/question-pusher.ts.
import { createECDH, randomBytes } from "node:crypto";
import type { BrowserContext, Page, Worker } from "playwright-core";
import { expect, it } from "vitest";
import { launchBrowser, openPage } from "../support/browser.ts";
import { askPermission, toolCall } from "../support/fake-agent/script.ts";
import { submit, turnEnd, viewOf } from "../support/fake-host.ts";
import { pageTests } from "./open-thread.ts";

const tests = pageTests();

/** The browser gets its answers from here instead of from the service of its maker. */
async function replacePushService(page: Page): Promise<void> {
  const p256dh = createECDH("prime256v1").generateKeys("base64url");
  const keys = { p256dh, auth: randomBytes(16).toString("base64url") };
  await page.evaluate(`{
    const subscription = {
      toJSON: () => ({ endpoint: "https://push.invalid/x", keys: ${JSON.stringify(keys)} }),
      unsubscribe: async () => { window.pushed = "off"; return true; },
    };
    PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
      if (window.pushed === undefined) throw new DOMException("push service not available", "AbortError");
      window.pushed = { userVisibleOnly, applicationServerKey };
      return subscription;
    };
    PushManager.prototype.getSubscription = async () => subscription;
  }`);
}

async function workerOf(context: BrowserContext): Promise<Worker> {
  return context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
}

/** Hands a message to the page's service worker, as a push service would. */
async function deliver(page: Page, message: object): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const registration = new Promise<string>((resolve) => {
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const [first] = registrations;
      if (first !== undefined) resolve(first.registrationId);
    });
  });
  await session.send("ServiceWorker.enable");
  const origin = new URL(page.url()).origin;
  const registrationId = await registration;
  await session.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data: JSON.stringify(message) });
  await session.detach();
}

interface Shown {
  readonly title: string;
  readonly body: string;
  readonly silent: boolean;
  readonly actions: readonly { readonly title: string }[];
}

const notificationsOf = (worker: Worker) =>
  worker.evaluate<Shown[]>(`self.registration.getNotifications().then((all) =>
    all.map(({ title, body, silent, actions }) => ({ title, body, silent, actions: actions.map(({ title }) => ({ title })) })))`);

/**
 * As a person's click does; false when there is nothing to click. A script's event cannot be kept alive, which the worker's own handler asks for
 * first; it has begun its work by then.
 */
const click = (worker: Worker, action: string) =>
  worker.evaluate<boolean>(
    `self.registration.getNotifications().then(([notification]) => {
    if (notification === undefined) return false;
    try { self.dispatchEvent(new NotificationEvent("notificationclick", { notification, action })); } catch {}
    return true;
  })`.replace("action }", `action: ${JSON.stringify(action)} }`),
  );

it("a phone is paired, asked and offline, and ends when it is removed", async () => {
  await using thread = await tests.openThread({});
  const { page, screen, threadId, host } = thread;
  const { origin } = new URL(page.url());
  await thread.goTo("#/settings");
  const devices = page.getByRole("region", { name: "Devices" });

  // Without an address that a phone could use, the page says so instead of showing a code that leads nowhere.
  await devices.getByRole("button", { name: "Pair a phone" }).click();
  await devices.getByRole("alert").getByText("No phone can reach this Signalbox yet").waitFor();
  await devices.getByLabel("Address of this computer for the phone").fill("http://192.168.1.5:4280");
  await devices.getByRole("button", { name: "Pair a phone" }).click();
  await devices
    .getByText("must begin with https")
    .or(devices.getByText("needs an address that begins with https"))
    .waitFor();
  await devices.getByLabel("Address of this computer for the phone").fill(origin);
  await devices.getByRole("button", { name: "Pair a phone" }).click();
  await devices.getByRole("img", { name: "Code to scan with the phone" }).waitFor();
  const link = await devices.locator(".pair-link").textContent();

  await using withNotifications = await launchBrowser();
  const { page: phone } = await openPage(withNotifications, link ?? "", {
    viewport: { width: 390, height: 800 },
    serviceWorkers: "allow",
    permissions: ["notifications"],
  });
  await expect.poll(() => phone.url()).not.toContain("pair=");
  await phone.getByLabel("Name of this device").fill("My phone");
  await phone.getByRole("button", { name: "Pair" }).click();
  // The list is what a narrow screen starts with.
  await phone.locator(".app").waitFor();
  await devices.getByText("Paired.").waitFor();
  const line = devices.getByRole("listitem").filter({ hasText: "My phone" });
  await line.waitFor();
  const token = await phone.evaluate<string>("localStorage.getItem('signalbox.token')");
  expect(token).not.toBe(host.process.ready.token);

  // It asks for notifications with the host's key, says when the service cannot be reached, and can switch them off again.
  await replacePushService(phone);
  await phone.goto(`${origin}/#/settings`);
  const wish = phone.getByLabel("Notify this browser, also while the page is closed");
  await wish.click();
  await phone.getByRole("alert").getByText("could not reach its service for notifications").waitFor();
  await phone.evaluate("window.pushed = null");
  const { rows: keys } = await screen.query("push.get", {});
  const applicationServerKey = keys[0]?.public_key ?? "";
  expect(Buffer.from(applicationServerKey, "base64url")).toHaveLength(65);
  for (const [isOn, pushed] of [
    [true, { userVisibleOnly: true, applicationServerKey }],
    [false, "off"],
    [true, { userVisibleOnly: true, applicationServerKey }],
  ] as const) {
    await wish.click();
    await expect.poll(() => wish.isChecked()).toBe(isOn);
    await expect.poll(() => phone.evaluate("window.pushed")).toEqual(pushed);
    await expect.poll(() => phone.getByText("· notifications").count()).toBe(isOn ? 1 : 0);
  }

  // A question comes as a notification, and Deny on it denies it.
  const turnId = await submit(screen, threadId, toolCall("c1"), askPermission("c1"));
  const asked = () => viewOf(screen.received, threadId).permissions[0]?.permission_id;
  await expect.poll(asked).toBeDefined();
  const worker = await workerOf(phone.context());
  await phone.goto("about:blank");
  const opened = await phone.context().newPage();
  await opened.goto(`${origin}/offline.html`);
  const question = {
    question_id: asked() ?? "",
    thread_id: threadId,
    title: "Fake: Release",
    body: "Run: make",
    can_deny: true,
  };
  await worker.evaluate(
    "Object.defineProperty(self.clients, 'matchAll', { configurable: true, value: async () => [] })",
  );
  await deliver(opened, question);
  await expect
    .poll(() => notificationsOf(worker))
    .toEqual([
      { title: "Fake: Release", body: "Run: make", silent: false, actions: [{ title: "Review" }, { title: "Deny" }] },
    ]);
  await click(worker, "deny");
  await turnEnd(screen, turnId);
  expect(viewOf(screen.received, threadId).permissions).toMatchObject([{ status: "denied" }]);
  await expect.poll(() => notificationsOf(worker)).toEqual([]);
  // A second Deny says that it came too late; a form has no Deny.
  let isDenied = false;
  const denyAgain = async () => {
    const shown = await notificationsOf(worker);
    // The browser may still be closing the first one, and take another one with the same tag with it.
    if (shown.length === 0 && !isDenied) await deliver(opened, question);
    if (shown[0]?.title === question.title) isDenied = await click(worker, "deny");
    return shown;
  };
  await expect
    .poll(denyAgain, { interval: 200 })
    .toMatchObject([{ title: "Not denied", actions: [{ title: "Review" }] }]);

  // Review goes to the thread in the page that is open.
  await worker.evaluate("delete self.clients.matchAll");
  await opened.close();
  await phone.goto(`${origin}/#/`);
  await phone.locator(".app").waitFor();
  await click(worker, "review");
  await phone.waitForURL(`${origin}/#/thread/${threadId}`);

  // Offline: it says so, and shows nothing of a thread. It is back by itself.
  await phone.goto(`${origin}/#/thread/${threadId}`);
  await phone.getByRole("group", { name: "Question" }).or(phone.locator(".timeline")).first().waitFor();
  await phone.context().setOffline(true);
  await phone.reload();
  await phone.getByRole("heading", { name: "Signalbox is not reachable" }).waitFor();
  expect(await phone.locator(".timeline").count()).toBe(0);
  await phone.context().setOffline(false);
  await phone.locator(".timeline").waitFor();

  // Removed: what it shows ends immediately.
  await line.getByRole("button", { name: "Remove My phone" }).click();
  await line.waitFor({ state: "detached" });
  await phone.getByText(/token/i).first().waitFor();
  await phone.context().close();
});

it("opens with a code instead of the token, and shows why a code is not accepted", async () => {
  await using thread = await tests.openThread({});
  const { page, host } = thread;
  const { token, url } = host.process.ready;
  const { origin } = new URL(url);
  const codes: string[] = [];
  // Only the host that opens a browser makes a code; beside packages/host/src/server/device-routes.ts it is tested that it works once.
  await page.route(`${origin}/open`, async (route) => {
    const { code } = JSON.parse(route.request().postData() ?? "") as { code: string };
    codes.push(code);
    if (code === "good") await route.fulfill({ json: { token } });
    else await route.continue();
  });
  await page.evaluate("localStorage.clear()");
  await page.goto("about:blank");
  await page.goto(`${origin}/#open=good`);
  await page.locator(".app").waitFor();
  expect([codes, page.url(), await page.evaluate("localStorage.getItem('signalbox.token')")]).toEqual([
    ["good"],
    `${origin}/`,
    token,
  ]);
  await page.goto("about:blank");
  await page.goto(`${origin}/#open=stolen`);
  await page.getByText("This code is wrong, too old or was used. Open the address that Signalbox printed").waitFor();
  await expect.poll(() => page.url()).toBe(`${origin}/`);
});
