// A known agent under the user's own command line runs inside the sandbox, and what goes from its private state to the real one.
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { fakeAgentFile } from "../support/fake-agent/script.ts";
import { FakeHost, run } from "../support/fake-host.ts";
import { TemporaryFolder } from "../support/host-process.ts";

it("runs inside under the user's own command line; a log-in returns with each turn, a session at the end, nothing else", async () => {
  using home = new TemporaryFolder();
  mkdirSync(home.in(".claude"));
  const logIn = home.in(".claude/.credentials.json");
  writeFileSync(logIn, '{"token":"old"}');
  utimesSync(logIn, 1, 1);
  const agents = {
    "claude-code": { command: process.execPath, args: ["--no-warnings", fakeAgentFile], return_sessions: true },
  };
  await using host = await FakeHost.start({ env: { HOME: home.path }, config: { agents } });
  const screen = await host.screen();
  const { thread_id, thread } = await screen.ask("session.create", { agent_id: "claude-code", cwd: host.project });
  expect(thread.sandbox?.detail).toContain("claude-code runs inside Signalbox's sandbox");
  await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id });
  const session = "projects/-work/a.jsonl";
  const line = '{"type":"user","message":"Hello"}';
  const shell = [
    "cd ~/.claude",
    "mkdir -p projects/-work hooks",
    `echo '{"token":"new"}' > .credentials.json`,
    `echo '${line}' > ${session}`,
    "echo no > settings.json",
    "ln -s /etc/hostname projects/-work/b.jsonl",
  ].join(" && ");
  expect(await run(screen, thread_id, { shell })).toMatchObject({ status: "ended" });
  expect(readFileSync(logIn, "utf8").trim()).toBe('{"token":"new"}');
  expect(readdirSync(home.in(".claude"))).toEqual([".credentials.json"]);
  await screen.request({ control: "session.close", thread_id });
  expect(readFileSync(home.in(`.claude/${session}`), "utf8")).toBe(`${line}\n`);
  expect(readdirSync(home.in(".claude/projects/-work"))).toEqual(["a.jsonl"]);
  expect(new Set(readdirSync(home.in(".claude")))).toEqual(new Set([".credentials.json", "projects"]));
});
