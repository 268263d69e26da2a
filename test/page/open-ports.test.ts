// A server that a command of the thread started, on the page: opened in the browser from its card, listed in Details, and closed.
import { expect, it } from "vitest";
import { submit } from "../support/fake-host.ts";
import { pageTests } from "./open-thread.ts";

const tests = pageTests();

it("is opened from the card of its command as a site of its own, which is a stranger to Signalbox, and closed", async () => {
  await using thread = await tests.openThread();
  const { page, screen, threadId } = thread;
  const script =
    'require("http").createServer((q, s) => s.setHeader("content-type", "text/html") && s.end("<h1>from the job</h1>")).listen(0, "127.0.0.1", function () { console.log("ready at port", this.address().port) })';
  await submit(screen, threadId, { ask: "terminal/create", params: { command: `node -e '${script}'` } });
  await page
    .getByRole("group", { name: "Question" })
    .getByRole("button", { name: /^Allow once/ })
    .click();
  const card = page.getByRole("article", { name: /node -e/ });
  const open = card.getByRole("button", { name: /^Open http:\/\/localhost:\d+$/ });
  await open.waitFor();
  await open.click();
  const link = card.getByRole("link", { name: /^Port \d+ in the browser$/ });
  await link.waitFor();
  const [site] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
  await site.getByRole("heading", { name: "from the job" }).waitFor();
  expect(new URL(site.url()).hostname).toMatch(/^s[0-9a-f]{32}\.localhost$/);
  // It has nothing of the page: not its window, its storage, its address, nor an answer of its host.
  const host = new URL(page.url()).origin;
  const seen = "[window.opener, document.referrer, localStorage.length]";
  await expect.poll(() => site.evaluate(seen)).toEqual([null, "", 0]);
  const reach = `fetch("${host}/").then(() => "answered", () => "refused")`;
  await expect.poll(() => site.evaluate(reach)).toBe("refused");
  await site.close();
  await card.getByRole("button", { name: /^Close port \d+$/ }).click();
  // One that is open when the session ends is not shown as open any more, on the card nor in Details.
  await open.click();
  await link.waitFor();
  const details = page.getByRole("complementary", { name: "Details" });
  if ((await details.count()) === 0) await page.getByRole("button", { name: "Details", exact: true }).click();
  const servers = details.getByRole("region", { name: "Servers" });
  await servers.getByRole("link", { name: /^Port \d+ in the browser$/ }).waitFor();
  await screen.request({ control: "session.close", thread_id: threadId });
  await expect.poll(() => link.count()).toBe(0);
  await expect.poll(() => servers.count()).toBe(0);
  expect(thread.problems).toEqual([]);
});
