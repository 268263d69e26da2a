// The first minute of a stranger: without a key, with an agent to install, on a phone; and with a key that they paste.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterEach, beforeAll, expect, it } from "vitest";
import { closePages, openPage, sharedBrowser } from "../support/browser.ts";
import { HostProcess, TemporaryFolder } from "../support/host-process.ts";
import { ModelServer } from "../support/model-server/model-server.ts";
import { PackageRegistry, smallAgent } from "../support/package-registry.ts";
import { chooseOption, readValue } from "./list-box.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterEach((test) => closePages(browser, test));

/** No key and no agent, whatever this machine has. */
function bareEnvironment(home: string): NodeJS.ProcessEnv {
  const keys = Object.keys(process.env).filter((name) => /_API_KEY$|_AUTH_TOKEN$|^OLLAMA_|^DBUS_/.test(name));
  const none = Object.fromEntries(keys.map((name) => [name, undefined]));
  return { ...none, HOME: home, PATH: "/usr/bin:/bin" };
}

it("without a key on a phone: four ways to a model, the whole demo, an agent that is installed by a click", async () => {
  using folder = new TemporaryFolder();
  mkdirSync(folder.in("project"));
  const marker = folder.in("script-ran");
  await using registry = await PackageRegistry.start([
    {
      name: "@google/gemini-cli",
      version: "0.61.0",
      bin: { gemini: "gemini.js" },
      files: { "gemini.js": smallAgent("Hello from the installed agent.") },
      scripts: { postinstall: `touch ${marker}` },
    },
  ]);
  await using host = await HostProcess.start(folder.in("data"), ["--port", "0"], {
    ...bareEnvironment(folder.path),
    ...registry.environment(folder.in("cache")),
  });
  const viewport = { width: 390, height: 844 };
  const { page, problems } = await openPage(browser, host.ready.url, { viewport, hasTouch: true, isMobile: true });
  const ways = page.getByRole("region", { name: "No model yet" });
  await ways.getByRole("heading", { name: "Signalbox has no model yet." }).waitFor();
  await expect
    .poll(() => ways.getByRole("heading", { level: 3 }).allInnerTexts())
    .toEqual(["Paste an API key", "Use a model on this machine", "Install an agent", "Try the demo"]);
  // The demo never answers under another name, and nothing can be started without a model.
  await expect.poll(() => readValue(page.getByRole("combobox", { name: "Agent", exact: true }))).toBe("signalbox");
  await expect.poll(() => page.getByRole("button", { name: "Start" }).isDisabled()).toBe(true);
  await page.getByLabel("First prompt").fill("Say hello");
  await expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);

  await ways.getByRole("button", { name: "Try the demo" }).click();
  const question = page.getByRole("group", { name: "Question" });
  for (const asked of ["This is a note.", "both steps"]) {
    await question.getByText(asked).first().waitFor();
    await question.getByRole("button", { name: /^Allow once/ }).click();
  }
  // The sandbox holds the command, so it runs unasked.
  await page.getByRole("article", { name: /^Tool call: `cat note\.md`/ }).waitFor();
  await page.locator(".chip.state", { hasText: "done" }).waitFor();
  await page.getByRole("link", { name: "1 file changed" }).waitFor();
  await page.getByRole("button", { name: "Details" }).click();
  await page.getByText("3 of 3").waitFor();
  expect(readdirSync(folder.in("project"))).toEqual([]);

  // What was typed is still there. The next prompt is for a real agent, in the folder where Signalbox was started.
  await page.goto(`${host.ready.url.replace(/#.*/, "")}#/new`);
  await page.reload();
  await expect.poll(() => readValue(page.getByRole("combobox", { name: "Agent", exact: true }))).toBe("signalbox");
  await expect.poll(() => page.getByLabel("Folder", { exact: true }).inputValue()).not.toMatch(/^$|demo/);
  await expect.poll(() => page.getByLabel("First prompt").inputValue()).toBe("Say hello");
  const gemini = page.getByRole("region", { name: "Agents" }).getByRole("listitem").filter({ hasText: "Gemini CLI" });
  await gemini.getByRole("button", { name: "Install Gemini CLI" }).click();
  await gemini
    .getByText(/npm install --prefix \S+gemini --ignore-scripts --save-exact @google\/gemini-cli@0\.61\.0/)
    .waitFor();
  const chosen = gemini.getByRole("button", { name: "Gemini CLI", exact: true });
  await chosen.click();
  await ways.waitFor({ state: "detached" });
  expect(existsSync(marker)).toBe(false);
  await page.getByLabel("Folder", { exact: true }).fill(folder.in("project"));
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByRole("article", { name: "Agent" }).getByText("Hello from the installed agent.").waitFor();
  expect(problems).toEqual([]);
});

it("with a key that is pasted: the first prompt has files and attachments, and the key stays on the host", async () => {
  using folder = new TemporaryFolder();
  mkdirSync(folder.in("project"));
  writeFileSync(join(folder.in("project"), "shop.ts"), "export const open = true;\n");
  const key = "sk-ant-0123456789-secret-abcd";
  await using server = await ModelServer.start(() => ({ text: "I have a model." }));
  const env = { ...bareEnvironment(folder.path), ANTHROPIC_BASE_URL: server.url };
  await using host = await HostProcess.start(folder.in("data"), ["--port", "0"], env);
  const { page, problems } = await openPage(browser, host.ready.url);
  const frames: string[] = [];
  const ways = page.getByRole("region", { name: "No model yet" });
  page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => frames.push(payload.toString())));
  await page.reload();
  const field = ways.getByLabel("API key");
  await field.fill("sk-or-0123456789-wrong");
  await expect.poll(() => readValue(ways.getByLabel("Provider"))).toBe("OPENROUTER_API_KEY");
  await field.fill("sk-ant-0123456789-wrong");
  await field.press("Enter");
  await ways.getByRole("alert").getByText("Anthropic refused this key (invalid key), so it was not saved.").waitFor();
  await field.fill(key);
  await field.press("Enter");
  // The provider was asked: its list of models needs the key.
  await page.getByText("Anthropic accepted the key.").waitFor();
  await ways.waitFor({ state: "detached" });
  const agent = page.getByRole("combobox", { name: "Agent", exact: true });
  await expect.poll(() => readValue(agent)).toBe("signalbox");
  // Who will answer is said before the first prompt.
  await expect.poll(() => agent.innerText()).toContain("Anthropic claude-sonnet-5-5");
  const row = page.getByRole("region", { name: "Agents" }).getByRole("listitem").filter({ hasText: "Anthropic" });
  await row.getByText(/^Anthropic claude-sonnet-5-5, \$\d+\.\d\d in, \$\d+\.\d\d out per million tokens$/).waitFor();

  await page.getByLabel("Folder", { exact: true }).fill(folder.in("project"));
  const prompt = page.getByLabel("First prompt");
  await prompt.fill("Read ");
  await prompt.pressSequentially("@sho");
  await page.getByRole("option", { name: "shop.ts" }).waitFor();
  await prompt.press("Enter");
  await expect.poll(() => prompt.inputValue()).toBe("Read @shop.ts ");
  await page
    .getByLabel("Attach")
    .setInputFiles({ name: "note.txt", mimeType: "text/plain", buffer: Buffer.from("attached") });
  await page.getByRole("list", { name: "Attachments" }).getByText("note.txt").waitFor();
  await page.getByRole("button", { name: "Model and mode …" }).click();
  await chooseOption(page.getByLabel("Mode", { exact: true }), "Read and run");
  await prompt.press("Enter");
  await page.getByRole("article", { name: "Agent" }).getByText("I have a model.").waitFor();
  const sent = JSON.stringify(server.requests.at(-1)?.body);
  expect(sent).toContain("shop.ts");
  expect(sent).toContain("attached");
  await expect.poll(() => readValue(page.getByLabel("Mode", { exact: true }))).toBe("rx");
  expect(server.requests.at(-1)?.headers["x-api-key"]).toBe(key);

  // A file of the user's own, and nowhere else.
  expect(statSync(join(folder.in("data"), "keys.json")).mode & 0o777).toBe(0o600);
  await page.goto(`${host.ready.url.replace(/#.*/, "")}#/settings`);
  await page.getByText("abcd").first().waitFor();
  expect(frames.join("\n")).not.toContain(key);
  expect(problems).toEqual([]);
  // A page that is open would try to connect again.
  await page.context().close();
  await host.stop();
  expect(filesWith(folder.in("data"), key)).toEqual(["keys.json"]);
});

/** The files below a folder that contain the text. */
function filesWith(folder: string, text: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files.filter((path) => {
    const file = join(folder, path);
    return statSync(file).isFile() && readFileSync(file).includes(text);
  });
}
