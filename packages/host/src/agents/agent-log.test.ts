import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { AgentLog } from "./agent-log.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-log-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("writes whole lines with time and thread, for the owner only, without the host's token or what looks like a key", () => {
  const log = new AgentLog(join(folder, "logs"), "my agent/x", "t1", ["the-token", ""]);
  log.write("one the-token\ntw");
  log.write("o API_KEY=sk-123456789012345678901234\nrest");
  const text = () => readFileSync(log.path, "utf8");
  expect(text()).toMatch(/^\d{4}-\S+Z t1 one \*\*\*\n\S+ t1 two API_KEY=\*\*\*\n$/);
  log.end();
  expect(text()).toMatch(/ t1 rest\n$/);
  expect(statSync(log.path).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, "logs")).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(folder, "logs"))).toEqual(["my_agent_x.log"]);
});

it("stays small: two files of at most a megabyte", () => {
  const log = new AgentLog(folder, "flood", "t1", []);
  for (let index = 0; index < 40; index++) log.write(`${"x".repeat(100_000)}\n`);
  log.write(`${"y".repeat(5_000_000)}\n`);
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  expect(sizes).toHaveLength(2);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1024 * 1024);
});

it("does not stop the agent when it cannot be written", () => {
  const log = new AgentLog(folder, "a", "t1", []);
  rmSync(folder, { recursive: true });
  expect(() => log.write("x\n")).not.toThrow();
});
