// Other machines on the page: their threads in the list, a new thread on one of them, what cannot be done with theirs, a problem of sharing.
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { closePages, openPage, sharedBrowser } from "../support/browser.ts";
import { FakeHost } from "../support/fake-host.ts";
import { TemporaryFolder } from "../support/host-process.ts";
import { InterruptibleProxy } from "../support/interruptible-proxy.ts";
import { sharedPostgres } from "../support/shared-postgres.ts";
import { SharingMachine } from "../support/sharing-machine.ts";
import { chooseOption } from "./list-box.ts";

const key = "a key that both machines have";
let proxy: InterruptibleProxy;
let host: FakeHost;
let server: SharingMachine;
const folder = new TemporaryFolder();
beforeAll(async () => {
  const postgres = await sharedPostgres();
  const url = await postgres.database();
  proxy = await InterruptibleProxy.to(postgres.port);
  server = await SharingMachine.start({ folder: folder.path, url, machine: "server", key });
  const shared = { url: url.replace(`:${postgres.port}/`, `:${proxy.port}/`), machine: "laptop", control: "signed" };
  host = await FakeHost.start({ env: { SIGNALBOX_SHARED_KEY: key }, config: { shared } });
});
afterEach(async (test) => closePages(await sharedBrowser(), test));
afterAll(async () => {
  await Promise.all([host[Symbol.asyncDispose](), server[Symbol.asyncDispose]()]);
  await proxy[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

it("shows another machine's threads, starts one there, says what works only there, and why nothing is shared", async () => {
  await server.thread("/srv/shop", "Tidy the shop");
  const asked: string[] = [];
  server.sharing.commands.startReceiving(async ({ kind, sender, body }) => {
    asked.push(`${sender} ${kind} ${(JSON.parse(body) as { cwd?: string }).cwd ?? ""}`);
    const thread = await server.register.createThread({ agent_id: "fake", cwd: "/srv/shop", title: "Count the stock" });
    return JSON.stringify({ type: "tinyvex.ok", thread_id: thread.id, thread });
  });
  const browser = await sharedBrowser();
  const { page, problems } = await openPage(browser, host.process.ready.url);
  const listed = page.getByRole("link", { name: /Tidy the shop.*server/ });
  await listed.waitFor();

  await chooseOption(page.getByLabel("Machine", { exact: true }), "server");
  await chooseOption(page.getByRole("combobox", { name: "Agent", exact: true }), "Fake");
  await expect.poll(() => page.getByLabel("Folder", { exact: true }).inputValue()).toBe("/srv/shop");
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByRole("heading", { name: "Count the stock" }).waitFor();
  expect(asked).toEqual(["laptop session.create /srv/shop"]);

  await page.getByRole("button", { name: "More for Count the stock" }).last().click();
  await page.getByText("Rename, pin, fork, archive and delete it on server.").waitFor();
  await expect.poll(() => page.getByRole("menuitem", { name: "Delete" }).count()).toBe(0);
  await page.keyboard.press("Escape");

  proxy.shutDown();
  await page
    .getByRole("status")
    .getByText(/^Sharing with other machines: .* cannot be used/)
    .waitFor();
  expect(problems).toEqual([]);
});
