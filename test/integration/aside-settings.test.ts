// Tests that settings which a command of a thread makes wait for the person, who keeps exactly what was shown, on a screen or in a terminal.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Step } from "../support/fake-agent/script.ts";
import { submit, turnEnd, viewOf } from "../support/fake-host.ts";
import { runProgram } from "../support/host-process.ts";
import { sharedHost } from "../support/shared-host.ts";

const allowAll = { config: { permissions: [{ allow: "all" }] } };
const runs = (command: string): Step => ({ ask: "terminal/create", params: { command } });

it("lists them with their content, refuses another digest, and puts them back for the right one", async () => {
  await using host = await sharedHost(allowAll);
  const screen = await host.screen();
  const thread_id = await host.thread(screen);
  await turnEnd(screen, await submit(screen, thread_id, runs("mkdir .vscode; echo '{}' > .vscode/tasks.json")));
  const list = async () => (await screen.query("aside.list", { thread_id })).rows;
  await expect.poll(async () => (await list()).length, { timeout: 20_000 }).toBe(1);
  const [row] = await list();
  expect(row).toMatchObject({
    path: ".vscode/tasks.json",
    rule: "editor-settings",
    files: [{ path: "", text: "{}\n" }],
  });
  const path = join(host.project, ".vscode/tasks.json");
  expect(existsSync(path)).toBe(false);
  const aside_id = row?.aside_id ?? "";
  const wrong = await screen.request({ control: "aside.keep", thread_id, aside_id, digest: "0".repeat(64) });
  expect(wrong).toMatchObject({ type: "tinyvex.error", code: "conflict" });
  expect(existsSync(path)).toBe(false);
  await screen.ask("aside.keep", { thread_id, aside_id, digest: row?.digest ?? "" });
  expect(readFileSync(path, "utf8")).toBe("{}\n");
  expect(await list()).toEqual([]);
  // The next command finds it, and cannot change it.
  await turnEnd(screen, await submit(screen, thread_id, runs("echo evil > .vscode/tasks.json")));
  expect(readFileSync(path, "utf8")).toBe("{}\n");
});

it("puts aside what a background job made when the turn ends, before the job does", async () => {
  await using host = await sharedHost(allowAll);
  const screen = await host.screen();
  const thread_id = await host.thread(screen);
  const command = "echo '{}' > .mcp.json; echo made; exec sleep 600";
  await turnEnd(screen, await submit(screen, thread_id, runs(command)));
  const isMade = () => viewOf(screen.received, thread_id).terminals.some(({ output }) => output.includes("made"));
  await expect.poll(isMade, { timeout: 20_000 }).toBe(true);
  await turnEnd(screen, await submit(screen, thread_id, runs("true")));
  expect(existsSync(join(host.project, ".mcp.json"))).toBe(false);
  expect((await screen.query("aside.list", { thread_id })).rows).toMatchObject([{ path: ".mcp.json" }]);
  await screen.ask("session.close", { thread_id });
});

it("shows and keeps them in a terminal", async () => {
  await using host = await sharedHost(allowAll);
  const screen = await host.screen();
  const thread_id = await host.thread(screen);
  await turnEnd(screen, await submit(screen, thread_id, runs("echo '{\"a\":1}' > opencode.json")));
  await expect
    .poll(async () => (await screen.query("aside.list", { thread_id })).rows.length, { timeout: 20_000 })
    .toBe(1);
  const id = (await screen.query("aside.list", { thread_id })).rows[0]?.aside_id ?? "";
  const aside = (...words: string[]) => runProgram(["aside", ...words, "--data-dir", host.process.ready.data_dir]);
  expect((await aside()).stdout).toContain(join(host.project, "opencode.json"));
  expect((await aside(id)).stdout).toContain('{"a":1}');
  expect((await aside(id, "--keep")).stdout).toBe(`Kept ${join(host.project, "opencode.json")}.\n`);
  expect(readFileSync(join(host.project, "opencode.json"), "utf8")).toBe('{"a":1}\n');
});
