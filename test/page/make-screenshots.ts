// `npm run screenshots`: pictures of the main views, light, dark and on a phone, into docs/images. Looked at before they are committed.
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { launchBrowser, openPage } from "../support/browser.ts";
import { fakeAgentFile, type Step, script } from "../support/fake-agent/script.ts";
import { HostProcess, root, TemporaryFolder } from "../support/host-process.ts";
import { TestScreen } from "../support/screen.ts";
import { ferryStory } from "./ferry-story.ts";

const images = join(root, "docs/images");
mkdirSync(images, { recursive: true });
using folder = new TemporaryFolder();
// Places that read well in a picture.
const project = join(tmpdir(), "ferry");
const other = join(tmpdir(), "atlas");
for (const path of [project, other, folder.in("data")]) mkdirSync(path, { recursive: true });
const example = {
  label: "Example agent",
  command: process.execPath,
  args: ["--no-warnings", fakeAgentFile, "--session", JSON.stringify({ modes: modes() })],
};
writeFileSync(join(folder.in("data"), "config.json"), JSON.stringify({ agents: { example } }));
await using host = await HostProcess.start(folder.in("data"));
const browser = await launchBrowser();

const views: readonly { readonly name: string; readonly options: BrowserContextOptions }[] = [
  { name: "light", options: { colorScheme: "light", viewport: { width: 1360, height: 900 } } },
  { name: "dark", options: { colorScheme: "dark", viewport: { width: 1360, height: 900 } } },
  { name: "phone", options: { colorScheme: "light", viewport: { width: 400, height: 800 } } },
];

/** Every view in every look. */
async function picture(name: string, hash: string, ready: (page: Page) => Promise<unknown>): Promise<void> {
  for (const view of views) {
    const { page } = await openPage(browser, host.ready.url, view.options);
    await page.goto(`http://127.0.0.1:${host.ready.port}/${hash}`);
    if (view.name === "phone") await page.evaluate('localStorage.setItem("signalbox.side-panel", "false")');
    if (view.name === "phone") await page.reload();
    await ready(page);
    // The last colours of code and the fonts.
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(images, `${name}-${view.name}.png`) });
    await page.context().close();
  }
}

await picture("start", "#/", async (page) => {
  await page.getByRole("heading", { name: "Found on this machine" }).waitFor();
  await page.getByLabel("Folder", { exact: true }).fill(project);
});

using screen = await TestScreen.connect(host.ready);
await thread("Write the release notes", other, [{ say: "Done: `CHANGELOG.md` has them." }]);
await thread("Upgrade to React 19.3", other, [{ log: "no licence" }, { exit: 1 }]);
await thread("Why is the build slow?", project, [{ say: "Type checking runs twice." }]);
await thread("Port the importer to streams", project, [{ say: "Reading." }, { wait: 600_000 }]);
const ferry = await thread("Retry uploads after a dropped connection", project, ferryStory(project));
await picture("thread", `#/thread/${ferry}`, (page) => page.getByRole("group", { name: "Question" }).waitFor());
await picture("search", "#/search?words=retry", (page) => page.locator(".hits li").first().waitFor());
await picture("register", `#/thread/${ferry}/register`, (page) => page.locator(".events li").first().waitFor());
await picture("statistics", "#/statistics", (page) => page.locator(".chart").first().waitFor());
await picture("settings", "#/settings", (page) => page.getByRole("button", { name: "Test Example agent" }).waitFor());
await browser.close();

async function thread(title: string, cwd: string, steps: readonly Step[]): Promise<string> {
  const created = await screen.request({ control: "session.create", agent_id: "example", cwd, title });
  if (created.type !== "tinyvex.ok" || created.thread_id === undefined) throw new Error(JSON.stringify(created));
  const thread_id = created.thread_id;
  await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id });
  const prompt = [{ type: "text", text: script(...steps) }];
  await screen.request({ control: "run.submit", thread_id, prompt_id: title, prompt });
  return thread_id;
}

function modes() {
  const availableModes = [
    { id: "ask", name: "Ask first" },
    { id: "code", name: "Code" },
  ];
  return { currentModeId: "ask", availableModes };
}
