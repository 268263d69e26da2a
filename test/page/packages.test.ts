// The packages for pages of one's own, as others get them: packed, installed into an empty folder, compiled and bundled there; their examples run in
// a browser, from an address of their own, against a real host.
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { buildPackage } from "../../scripts/packages/build-package.ts";
import { openPage, sharedBrowser } from "../support/browser.ts";
import { askPermission, script, toolCall } from "../support/fake-agent/script.ts";
import { FakeHost, viewOf } from "../support/fake-host.ts";
import { TemporaryFolder } from "../support/host-process.ts";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
const published = ["protocol", "client", "react"];
/** What a project has of its own; npm takes them from here instead of from the network. */
const libraries = [
  "react",
  "react-dom",
  "@types/react",
  "@types/react-dom",
  "@assistant-ui/react",
  "@agentclientprotocol/sdk",
  "diff",
  "zod",
];

/** A project with the tarballs and the examples in it. */
async function install(folder: string): Promise<string> {
  const project = join(folder, "project");
  await mkdir(project);
  const built = published.map((name) => join(folder, name));
  await Promise.all(published.map((name, index) => buildPackage(name, built[index] ?? "")));
  const { stdout } = await run("npm", ["pack", "--silent", "--pack-destination", folder, ...built], { cwd: folder });
  const files = stdout.trim().split("\n");
  const tarballs = published.map((name, index) => [`@signalbox/${name}`, `file:${join(folder, files[index] ?? "")}`]);
  const links = libraries.map((name) => [name, `file:${folderOf(name)}`]);
  const dependencies = Object.fromEntries([...links, ...tarballs]);
  await writeFile(join(project, "package.json"), JSON.stringify({ type: "module", dependencies }));
  await run("npm", ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: project });
  await Promise.all(
    ["react", "assistant-ui"].map((name) =>
      cp(join(root, "examples", name), join(project, name), {
        recursive: true,
        filter: (source) => !/\.(?:test\.ts|json)$/.test(source),
      }),
    ),
  );
  return project;
}

/** A version that only the protocol uses is in its own folder. */
function folderOf(library: string): string {
  const own = join(root, "packages/protocol/node_modules", library);
  return existsSync(own) ? own : join(root, "node_modules", library);
}

async function compile(project: string): Promise<void> {
  const compilerOptions = {
    module: "esnext",
    moduleResolution: "bundler",
    target: "es2024",
    lib: ["es2024", "dom", "dom.iterable"],
    jsx: "react-jsx",
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    types: [],
  };
  await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*/page.tsx"] }));
  await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", project, "--checkers", "1"]);
  const entryPoints = ["react", "assistant-ui"].map((name) => join(project, name, "page.tsx"));
  await build({ entryPoints, bundle: true, jsx: "automatic", format: "esm", outdir: join(project, "built") });
}

/** Serves the bundles from an address that is not the host's. */
async function serve(project: string) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://page");
    if (pathname.endsWith(".js")) {
      response.setHeader("Content-Type", "text/javascript").end(readFileSync(join(project, "built", pathname)));
      return;
    }
    const page = `<!doctype html><title>Example</title><link rel="icon" href="data:,"><body><script type="module" src="${pathname}.js"></script>`;
    response.setHeader("Content-Type", "text/html").end(page);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, [Symbol.asyncDispose]: async () => void server.close() };
}

it("are installed from their tarballs, and both examples show a thread, ask and answer from an address of their own", async () => {
  using folder = new TemporaryFolder();
  const project = await install(folder.path);
  await compile(project);
  await using served = await serve(project);
  await using host = await FakeHost.start({ args: ["--page-origin", served.origin] });
  const screen = await host.screen();
  const threadId = await host.thread(screen);
  await screen.request({ control: "tvx.update_thread", thread_id: threadId, updates: { title: "Own page" } });
  const browser = await sharedBrowser();
  const make = toolCall("c1", { title: "`make`", kind: "execute", rawInput: { command: "make" } });
  const address = encodeURIComponent(host.process.ready.url);

  const { page, problems } = await openPage(browser, `${served.origin}/react/page#${address}`);
  await page.getByRole("button", { name: /^Own page/ }).click();
  await page.getByLabel("Prompt").fill(script(make, askPermission("c1", {}), { say: " Built." }));
  await page.getByLabel("Prompt").press("Enter");
  await page.getByRole("group", { name: "Allow make?" }).getByRole("button", { name: "Allow once" }).click();
  await page.getByText(/Built\.$/).waitFor();
  expect(problems).toEqual([]);
  await page.context().close();

  const chat = await openPage(browser, `${served.origin}/assistant-ui/page?thread=${threadId}#${address}`);
  await chat.page.getByText(/Built\.$/).waitFor();
  await chat.page
    .getByLabel("Prompt")
    .fill(script(toolCall("c2", { title: "rm", rawInput: { command: "rm x" } }), askPermission("c2")));
  await chat.page.getByRole("button", { name: "Send" }).click();
  await chat.page.getByRole("group", { name: "rm" }).getByRole("button", { name: "Deny" }).click();
  await chat.page.getByRole("button", { name: "Deny" }).waitFor({ state: "hidden" });
  const statuses = () => viewOf(screen.received, threadId).permissions.map(({ status }) => status);
  await expect.poll(statuses).toEqual(["allowed", "denied"]);
  expect(chat.problems).toEqual([]);
  await chat.page.context().close();
});

it("have examples of at most 60 lines", async () => {
  for (const name of ["react", "assistant-ui"]) {
    const lines = (await readFile(join(root, "examples", name, "page.tsx"), "utf8")).split("\n");
    expect(lines.length - 1, name).toBeLessThanOrEqual(60);
  }
});
