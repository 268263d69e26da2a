// Settings that a command made, on the page: shown on the card and in Changes, and kept with one press.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { submit, turnEnd } from "../support/fake-host.ts";
import { pageTests } from "./open-thread.ts";

const tests = pageTests();

it("are shown with their content in Changes, and kept or dropped there", async () => {
  await using thread = await tests.openThreadWith({ config: { permissions: [{ allow: "all" }] } });
  const { page, screen, threadId, folder } = thread;
  const command = "mkdir .vscode; echo from-a-command > .vscode/tasks.json; echo other > .mcp.json; echo work > a.txt";
  await turnEnd(screen, await submit(screen, threadId, { ask: "terminal/create", params: { command } }));
  const list = async () => (await screen.query("aside.list", { thread_id: threadId })).rows.length;
  await expect.poll(list).toBe(2);
  await page.goto(`${page.url().replace(/#.*/, "")}#/thread/${threadId}/changes`);
  const keep = page.getByRole("button", { name: "Keep .vscode/tasks.json" });
  await page.getByRole("button", { name: /tasks\.json was put aside/ }).click();
  await page.getByText("from-a-command", { exact: true }).waitFor();
  expect(existsSync(join(folder, ".vscode/tasks.json"))).toBe(false);
  await keep.click();
  await expect.poll(() => keep.count()).toBe(0);
  expect(readFileSync(join(folder, ".vscode/tasks.json"), "utf8")).toBe("from-a-command\n");
  const drop = page.getByRole("button", { name: "Drop .mcp.json" });
  await drop.click();
  await expect.poll(() => drop.count()).toBe(0);
  expect(existsSync(join(folder, ".mcp.json"))).toBe(false);
  expect(thread.problems).toEqual([]);
});

it("are shown on the card of the command that made them, and kept there", async () => {
  await using thread = await tests.openThreadWith({ config: { permissions: [{ allow: "all" }] } });
  const { page, screen, threadId, folder } = thread;
  const command = "echo from-a-command > .mcp.json";
  await turnEnd(screen, await submit(screen, threadId, { ask: "terminal/create", params: { command } }));
  const card = page.getByRole("article", { name: /^Tool call: .*\.mcp\.json/ });
  await card
    .getByRole("button", { name: /from-a-command/ })
    .first()
    .click();
  await card.getByRole("button", { name: /\.mcp\.json was put aside/ }).click();
  await card.getByText("from-a-command", { exact: true }).waitFor();
  const keep = card.getByRole("button", { name: "Keep .mcp.json" });
  await keep.click();
  await expect.poll(() => keep.count()).toBe(0);
  expect(readFileSync(join(folder, ".mcp.json"), "utf8")).toBe("from-a-command\n");
  expect(thread.problems).toEqual([]);
});
