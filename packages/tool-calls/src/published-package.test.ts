// The package as others get it: what the README shows is what runs, the reference says what the types say, and a project outside of
// this workspace can compile against the package and run it.
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildPackage } from "../../../scripts/packages/build-package.ts";
import { renderApi } from "../scripts/api-docs.ts";
import { apiDocs } from "../scripts/build.ts";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../../..");
const timeout = 60_000;
let project: string;
let installed: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "tool-calls-package-"));
  installed = join(project, "node_modules/@signalbox/tool-calls");
  await buildPackage("tool-calls", installed);
  for (const name of ["@agentclientprotocol", "@types", "undici-types", "zod"]) {
    await symlink(join(root, "node_modules", name), join(project, "node_modules", name));
  }
}, timeout);

afterAll(async () => {
  await rm(project, { recursive: true, force: true });
});

it("has the example in its README, word for word", async () => {
  const readme = await readFile(join(import.meta.dirname, "../README.md"), "utf8");
  const example = await readFile(join(root, "examples/tool-calls/agent.mts"), "utf8");
  expect(readme).toContain(`\`\`\`ts\n${example}\`\`\`\n`);
});

it("has an API reference that says what the types say", async () => {
  expect(await readFile(apiDocs, "utf8")).toBe(await renderApi(installed));
});

it("has types that need none of Node's", async () => {
  const files = (await readdir(installed, { recursive: true })).filter((file) => file.endsWith(".d.ts"));
  const declarations = await Promise.all(files.map((file) => readFile(join(installed, file), "utf8")));
  expect(declarations.filter((text) => /: Buffer\b|NodeJS\.|from "node:/.test(text))).toEqual([]);
});

it("has every type in its reference that the reference names", async () => {
  const page = await readFile(apiDocs, "utf8");
  const code = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, block = ""]) =>
    block.replaceAll(/\/\*.*?\*\/|"[^"]*"/gs, ""),
  );
  const files = (await readdir(installed, { recursive: true })).filter((file) => file.endsWith(".d.ts"));
  const declarations = await Promise.all(files.map((file) => readFile(join(installed, file), "utf8")));
  const ours = new Set(
    declarations.flatMap((text) =>
      [...text.matchAll(/^(?:export )?(?:declare )?(?:interface|type|class) (\w+)/gm)].map(([, name]) => name),
    ),
  );
  const named = new Set(code.flatMap((block) => block.match(/\b[A-Z]\w+\b/g) ?? []));
  const missing = [...named].filter((name) => ours.has(name) && !page.includes(`\n## ${name}\n`));
  expect(missing).toEqual([]);
  expect(page).not.toMatch(/^## *$/m);
});

it("has no copy of the SDK beside the one of the project", async () => {
  const manifest = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
  expect(manifest).toMatchObject({ peerDependencies: { "@agentclientprotocol/sdk": "^2.0.0" } });
  expect(manifest).not.toHaveProperty("dependencies");
  expect(manifest).not.toHaveProperty("devDependencies");
});

it("runs in a CommonJS project, as `npm init` makes it: the README's agent, and require", { timeout }, async () => {
  await writeFile(join(project, "package.json"), JSON.stringify({ type: "commonjs" }));
  await copyFile(join(root, "examples/tool-calls/agent.mts"), join(project, "agent.mts"));
  const running = run(process.execPath, ["agent.mts"], { cwd: project });
  const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };
  running.child.stdin?.end(`${JSON.stringify(initialize)}\n`);
  expect(JSON.parse((await running).stdout)).toMatchObject({ id: 1, result: { protocolVersion: 1 } });
  const script = 'console.log(typeof require("@signalbox/tool-calls").wrapAgent)';
  expect((await run(process.execPath, ["--eval", script], { cwd: project })).stdout).toBe("function\n");
});

it("compiles and runs in a project of its own", { timeout }, async () => {
  await writeFile(join(project, "package.json"), JSON.stringify({ type: "module" }));
  const compilerOptions = {
    module: "nodenext",
    target: "es2024",
    lib: ["es2024"],
    strict: true,
    skipLibCheck: true,
    types: ["node"],
  };
  await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  await writeFile(
    join(project, "consumer.ts"),
    `import { ToolCallTracker, wrapAgent, deny, RulePermissionHandler, type SettledReport } from "@signalbox/tool-calls";
const statuses: unknown[] = [];
const client = { sessionUpdate: ({ update }: { update: object }) => { if ("status" in update) statuses.push(update.status); } };
const tracker = new ToolCallTracker({ client, sessionId: "s", cwd: "/", onSettled: (report: SettledReport) => console.log(report.title) });
const agent = wrapAgent({ callTool: async (name: string, args: { path: string }) => name + args.path }, { tracker, permissions: new RulePermissionHandler([{ decision: "allow", path: "a" }], { decide: () => deny("asked") }) });
const result: string = await agent.callTool("read", { path: "a" });
// @ts-expect-error the types of the agent are kept
await agent.callTool("read", { path: 7 }).catch(() => undefined);
console.log(result, statuses.slice(0, 3).join(" "));
`,
  );
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
  await run(process.execPath, [compiler, "-p", project]);
  const { stdout } = await run(process.execPath, [join(project, "consumer.js")]);
  expect(stdout.split("\n")).toContain("reada pending in_progress completed");
});
