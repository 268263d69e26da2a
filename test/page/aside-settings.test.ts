// Settings that a command made, on the page: shown on its card and in Changes, and kept with one press.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { submit, turnEnd } from "../support/fake-host.ts";
import { pageTests } from "./open-thread.ts";

const tests = pageTests();

it("are shown with their content on the card and in Changes, and kept or dropped there", async () => {
  await using thread = await tests.openThreadWith({ config: { permissions: [{ allow: "all" }] } });
  const { page, screen, threadId, folder } = thread;
  const command = "mkdir .vscode; echo from-a-command > .vscode/tasks.json; echo other > .mcp.json; echo work > a.txt";
  await turnEnd(screen, await submit(screen, threadId, { ask: "terminal/create", params: { command } }));
  const card = page.getByRole("article", { name: /mkdir \.vscode/ });
  const keep = card.getByRole("button", { name: "Keep .vscode/tasks.json" });
  // A finished command is closed, but not one that left something to decide.
  await keep.waitFor();
  await card.getByRole("button", { name: /tasks\.json was put aside/ }).click();
  await card.getByText("from-a-command", { exact: true }).waitFor();
  expect(existsSync(join(folder, ".vscode/tasks.json"))).toBe(false);
  await keep.click();
  await expect.poll(() => keep.count()).toBe(0);
  expect(readFileSync(join(folder, ".vscode/tasks.json"), "utf8")).toBe("from-a-command\n");
  await page.goto(`${page.url().replace(/#.*/, "")}#/thread/${threadId}/changes`);
  const drop = page.getByRole("button", { name: "Drop .mcp.json" });
  await drop.click();
  await expect.poll(() => drop.count()).toBe(0);
  expect(existsSync(join(folder, ".mcp.json"))).toBe(false);
  expect(thread.problems).toEqual([]);
});
