// `npm run screenshots`: pictures of the main views, light, dark and on a phone, into docs/images. Looked at before they are committed.
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchBrowser, openPage } from "../support/browser.ts";
import { HostProcess, root, TemporaryFolder } from "../support/host-process.ts";

const images = join(root, "docs/images");
mkdirSync(images, { recursive: true });
using folder = new TemporaryFolder();
// A place that reads well in a picture.
const project = join(tmpdir(), "ferry");
mkdirSync(project, { recursive: true });
await using host = await HostProcess.start(folder.in("data"));
const browser = await launchBrowser();
const views = [
  { name: "light", options: { colorScheme: "light", viewport: { width: 1280, height: 760 } } },
  { name: "dark", options: { colorScheme: "dark", viewport: { width: 1280, height: 760 } } },
  { name: "phone", options: { colorScheme: "light", viewport: { width: 400, height: 760 } } },
] as const;

for (const { name, options } of views) {
  const { page } = await openPage(browser, host.ready.url, options);
  await page.getByLabel("Folder", { exact: true }).fill(project);
  await page.getByLabel("First prompt", { exact: true }).fill("Show me what you can do here.");
  await page.screenshot({ path: join(images, `start-${name}.png`) });
  await page.getByRole("button", { name: "Start" }).click();
  await page.locator(".chip.state", { hasText: "done" }).waitFor();
  await page.getByLabel("Prompt", { exact: true }).fill("And once more, please.");
  await page.getByLabel("Prompt", { exact: true }).press("Enter");
  await page.locator(".chip.state", { hasText: "working" }).waitFor();
  await page.getByText("prompt 2 of this thread").waitFor();
  await page.screenshot({ path: join(images, `thread-${name}.png`) });
  await page.locator(".chip.state", { hasText: "done" }).waitFor();
  await page.context().close();
}
await browser.close();
