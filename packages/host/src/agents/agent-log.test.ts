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
  log.end();
  const text = readFileSync(log.path, "utf8");
  expect(text).toMatch(/^\d{4}-\S+Z t1 one \*\*\*\n\S+ t1 two API_KEY=\*\*\*\n\S+ t1 rest\n$/);
  expect(statSync(log.path).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, "logs")).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(folder, "logs"))).toEqual(["my_agent_x.log"]);
});

it("stays small: two files of at most a megabyte", () => {
  const log = new AgentLog(folder, "flood", "t1", []);
  for (let index = 0; index < 400; index++) {
    log.write(`${"x".repeat(7000)}\n`);
    log.end();
  }
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  expect(sizes).toHaveLength(2);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1024 * 1024);
});

it("keeps the beginning of a flood and of a long line, and says that there was more", () => {
  const log = new AgentLog(folder, "flood", "t1", ["the-token"]);
  // A name without an end, and a secret where the line is truncated.
  log.write(`${"keykeykey".repeat(910)}the-token${"z".repeat(5_000_000)}\n`);
  for (let index = 0; index < 100_000; index++) log.write(`line ${index}\n`);
  log.end();
  const lines = readFileSync(log.path, "utf8").trim().split("\n");
  expect(lines[0]).toMatch(/ t1 (keykeykey)+\*+… \[the line goes on\]$/);
  expect(lines.join("")).not.toContain("the-token");
  expect(lines.length).toBeLessThan(10_000);
  expect(lines.at(-1)).toMatch(/ \[\d+ more lines came in the same moment and are not kept\]$/);
});

it("does not stop the agent when it cannot be written", () => {
  const log = new AgentLog(folder, "a", "t1", []);
  rmSync(folder, { recursive: true });
  log.write("x\n");
  expect(() => log.end()).not.toThrow();
});
