// `npm run screenshots` takes pictures of the main views into docs/images: light, dark and on a phone. Look at them before you commit them.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { launchBrowser, openPage } from "../support/browser.ts";
import type { Step } from "../support/fake-agent/script.ts";
import { HostProcess, root } from "../support/host-process.ts";
import { TestScreen } from "../support/screen.ts";
import { writeExampleHistory } from "./example-history.ts";
import { exampleThread } from "./example-thread.ts";

const images = join(root, "docs/images");
mkdirSync(images, { recursive: true });
// A home folder with two projects, the data and the agent, so that no path of this machine is in a picture.
const home = join(tmpdir(), "ada");
if (existsSync(home)) throw new Error(`${home} exists, but the screenshots need this folder. Remove it and try again.`);
using cleanUp = new DisposableStack();
cleanUp.defer(() => rmSync(home, { recursive: true, force: true }));
const project = join(home, "code/ferry");
const other = join(home, "code/atlas");
const data = join(home, ".signalbox");
const programs = join(home, "bin");
for (const path of [project, other, data, programs]) mkdirSync(path, { recursive: true });
writeExampleHistory(home, [project, other]);
process.env.HOME = home;
process.env.PATH = `${programs}:${process.env.PATH}`;

const stories: Readonly<Record<string, readonly Step[]>> = {
  "Write the release notes": [{ say: "Done: `CHANGELOG.md` has them." }],
  "Upgrade to React 19.3": [{ log: "no licence" }, { exit: 1 }],
  "Why is the build slow?": [{ say: "Type checking runs twice: once in `build`, once in `check`." }],
  "Port the importer to streams": [{ say: "Reading the importer." }, { wait: 600_000 }],
  "Set up the staging server": [{ say: "Two things I cannot know." }, serverForm()],
  "Uploads fail for good when the connection drops once. Make `src/upload.ts` retry with backoff, and prove it with a test.":
    exampleThread(project),
};
const storiesFile = join(programs, "stories.json");
writeFileSync(storiesFile, JSON.stringify(stories));
const words = [
  process.execPath,
  "--no-warnings",
  join(import.meta.dirname, "screenshot-agent.ts"),
  "--stories",
  storiesFile,
  "--session",
  JSON.stringify({ modes: modes() }),
];
const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
writeFileSync(join(programs, "example-agent"), `#!/bin/sh\nexec ${quoted} "$@"\n`, { mode: 0o755 });
const example = { label: "Example agent", command: "example-agent" };
writeFileSync(join(data, "config.json"), JSON.stringify({ agents: { example } }));
await using host = await HostProcess.start(data);
const browser = await launchBrowser();

const views: readonly { readonly name: string; readonly options: BrowserContextOptions }[] = [
  { name: "light", options: { colorScheme: "light", viewport: { width: 1360, height: 900 } } },
  { name: "dark", options: { colorScheme: "dark", viewport: { width: 1360, height: 900 } } },
  { name: "phone", options: { colorScheme: "light", viewport: { width: 400, height: 800 } } },
];

const wide: typeof views = [
  { name: "wide", options: { colorScheme: "light", viewport: { width: 1800, height: 960 } } },
];

/** Takes the picture in light, dark and on a phone, or in other views. */
async function picture(
  name: string,
  hash: string,
  ready: (page: Page) => Promise<unknown>,
  taken = views,
): Promise<void> {
  for (const view of taken) {
    const { page } = await openPage(browser, host.ready.url, view.options);
    await page.goto(`http://127.0.0.1:${host.ready.port}/${hash}`);
    await ready(page);
    // Wait for code colours and fonts.
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(images, `${name}-${view.name}.png`) });
    await page.context().close();
  }
}

await picture("start", "#/", async (page) => {
  await page.getByRole("region", { name: "Agents" }).waitFor();
  await page.getByLabel("Folder", { exact: true }).fill(project);
});

using screen = await TestScreen.connect(host.ready);
await screen.request({ control: "import.start", source: "claude" });
const [notes = "", react = "", build = "", port = "", staging = "", uploads = ""] = Object.keys(stories);
await thread(notes, other);
await thread(react, other);
const slow = await thread(build, project);
await thread(port, project);
const form = await thread(staging, other);
const ferry = await thread(uploads, project, "Retry uploads after a dropped connection");
const question = (page: Page) => page.getByRole("group", { name: "Question" }).waitFor();
await picture("thread", `#/thread/${ferry}`, question);
await picture("form", `#/thread/${form}`, question);
await picture("threads", `#/thread/${ferry}?beside=${slow}`, question, wide);
await picture("search", "#/search?words=retry", (page) => page.locator(".hits li").first().waitFor());
await picture("event-log", `#/thread/${ferry}/events`, (page) => page.locator(".events li").first().waitFor());
await picture("statistics", "#/statistics", (page) => page.getByText("Busiest files").waitFor());
await picture("settings", "#/settings", (page) => page.getByRole("button", { name: "Test Example agent" }).waitFor());
await browser.close();

async function thread(prompt: string, cwd: string, title = prompt): Promise<string> {
  const created = await screen.ask("session.create", { agent_id: "example", cwd, title });
  const thread_id = created.thread_id;
  await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id });
  const blocks = [{ type: "text", text: prompt }];
  await screen.request({ control: "run.submit", thread_id, prompt_id: title, prompt: blocks });
  return thread_id;
}

function serverForm(): Step {
  const properties = {
    host: { type: "string", title: "Host name", description: "Where the server answers", minLength: 3 },
    port: { type: "integer", title: "Port", minimum: 1024, maximum: 65_535, default: 8443 },
    parts: { type: "array", title: "Parts", items: { enum: ["api", "page", "worker"] }, default: ["api", "page"] },
    backups: { type: "boolean", title: "Nightly backups", default: true },
  };
  const requestedSchema = { type: "object", properties, required: ["host", "port"] };
  return { ask: "elicitation/create", params: { mode: "form", message: "Where should staging run?", requestedSchema } };
}

function modes() {
  const availableModes = [
    { id: "ask", name: "Ask first" },
    { id: "code", name: "Code" },
  ];
  return { currentModeId: "ask", availableModes };
}
