// A command that asks for more than its sandbox gives, on the page: the question, and the card of one that failed inside.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { submit, turnEnd } from "../support/fake-host.ts";
import { pageTests } from "./open-thread.ts";

const tests = pageTests();

it("says what it would get and why, and one that failed inside is run again with more rights from its card", async () => {
  await using thread = await tests.openThread();
  const { page, screen, threadId } = thread;
  const outside = mkdtempSync("/var/tmp/signalbox-outside-");
  onTestFinished(() => rmSync(outside, { recursive: true }));
  const reason = "the log belongs there";
  const escalate = { "signalbox/escalate": { reason } };
  const turnId = await submit(
    screen,
    threadId,
    { ask: "terminal/create", params: { command: `touch ${outside}/asked`, _meta: escalate } },
    { ask: "terminal/create", params: { command: `touch ${outside}/again` } },
  );
  const card = page.getByRole("group", { name: "Question" });
  const rights = card.getByRole("note", { name: "More rights" });
  await rights.waitFor();
  await expect.poll(() => rights.innerText()).toMatch(/No sandbox: .*the log belongs there/s);
  await card.getByRole("button", { name: /^Allow once/ }).click();
  // The second asks for nothing more: it runs in the sandbox, and fails.
  await card.getByText(`$ touch ${outside}/again`).waitFor();
  await card.getByRole("button", { name: /^Allow once/ }).click();
  await turnEnd(screen, turnId);
  await expect.poll(() => readdirSync(outside)).toEqual(["asked"]);
  const failed = page.getByRole("article", { name: /again`/ });
  await failed.getByRole("button", { name: "Run again with more rights…" }).click();
  const form = failed.getByRole("form", { name: "Run again with more rights" });
  await form.getByLabel("Outside the sandbox").check();
  await expect.poll(() => form.innerText()).toMatch(/\$ touch .*again[\s\S]*No sandbox/);
  await form.getByRole("button", { name: "Run", exact: true }).click();
  await expect.poll(() => readdirSync(outside).toSorted()).toEqual(["again", "asked"]);
  await page.getByText("I ran this command again for you, outside the sandbox").first().waitFor();
  expect(thread.problems).toEqual([]);
});

it("shows folder, variables and program of a command before it runs again, and gives it none of the agent's variables that are not ticked", async () => {
  await using thread = await tests.openThread();
  const { page, screen, threadId, folder } = thread;
  const outside = mkdtempSync("/var/tmp/signalbox-outside-");
  onTestFinished(() => rmSync(outside, { recursive: true }));
  // The workspace's own `touch`, found first by the agent's PATH.
  const bin = join(folder, ".cache/bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "touch"), `#!/bin/sh\n/usr/bin/touch ${outside}/stolen\nexit 1\n`, { mode: 0o755 });
  const env = [
    { name: "PATH", value: `${bin}:/usr/bin:/bin` },
    { name: "CI", value: "1" },
  ];
  const turnId = await submit(screen, threadId, {
    ask: "terminal/create",
    params: { command: `touch ${outside}/again`, env },
  });
  const card = page.getByRole("group", { name: "Question" });
  await card.getByRole("button", { name: /^Allow once/ }).click();
  await turnEnd(screen, turnId);
  const failed = page.getByRole("article", { name: /again`/ });
  await failed.getByRole("button", { name: "Run again with more rights…" }).click();
  const form = failed.getByRole("form", { name: "Run again with more rights" });
  await form.getByLabel("Outside the sandbox").check();
  const text = () => form.innerText();
  await expect.poll(text).toContain(`Runs in ${folder}`);
  await expect.poll(text).toMatch(/Program \S*bin\/touch$/m);
  await expect.poll(text).not.toContain("this thread’s agent can change");
  // A tick changes which program it is, and the form says so at once.
  const path = form.getByRole("checkbox", { name: `PATH=${bin}:/usr/bin:/bin` });
  await path.check();
  await expect.poll(text).toContain(`Program ${bin}/touch, which this thread’s agent can change`);
  await expect.poll(text).toContain(`Environment PATH=${bin}`);
  await path.uncheck();
  await expect.poll(text).not.toContain("Environment");
  await form.getByRole("button", { name: "Run", exact: true }).click();
  await expect.poll(() => readdirSync(outside)).toEqual(["again"]);
  expect(thread.problems).toEqual([]);
});
