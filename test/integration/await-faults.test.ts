// An error at any `await` of the host, or of our agent in an MCP call, ends at most the turn or the connection that it is in. A process of its own runs each scenario and lets one
// `await` after the other throw; `npm run test:long` tries all of them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { root, TemporaryFolder } from "../support/host-process.ts";
import { rounds } from "../support/rounds.ts";

interface Attempt {
  readonly scenario: string;
  readonly place: string;
  readonly problem: string | null;
}

const every = rounds({ some: 16, all: 1 });
const scenarios = [
  "a start",
  "a checkpoint",
  "a restore",
  "a question",
  "a terminal",
  "a form",
  "an MCP call",
  "a connection",
];

it("[R5] [R7] the host lives, other threads do not notice, and the turn ends with a reason, whichever await fails", async () => {
  using folder = new TemporaryFolder();
  const here = join(root, "test/support/await-faults");
  const args = [
    "--no-warnings",
    "--import",
    join(here, "instrument.ts"),
    join(here, "run.ts"),
    String(every),
    folder.path,
  ];
  mkdirSync(folder.in("faults"));
  const env = { ...process.env, SIGNALBOX_AWAIT_FAULTS: folder.in("faults") };
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], env });
  const ended = once(child, "exit");
  const attempts: Attempt[] = [];
  for await (const line of createInterface({ input: child.stdout })) attempts.push(JSON.parse(line) as Attempt);
  expect(await ended).toEqual([0, null]);
  expect(attempts.filter(({ problem }) => problem !== null)).toEqual([]);
  expect([...new Set(attempts.map(({ scenario }) => scenario))]).toEqual(scenarios);
  expect(attempts.length).toBeGreaterThan(400 / every);
}, 600_000);
