// Tests that an import that is killed at any moment and started again gives the same result as one that was not.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openRegister } from "@signalbox/tinyvex";
import { describe, expect, it } from "vitest";
import { HistoryReader } from "../../packages/history-import/src/history-reader.ts";
import { type ImportResult, importHistories } from "../../packages/history-import/src/import-histories.ts";
import { HostProcess, root, runProgram, TemporaryFolder } from "../support/host-process.ts";
import { rounds } from "../support/rounds.ts";
import { TestScreen } from "../support/screen.ts";

const program = (home: string, database: string) => `
  import { importHistories } from ${JSON.stringify(join(root, "packages/history-import/src/import-histories.ts"))};
  import { HistoryReader } from ${JSON.stringify(join(root, "packages/history-import/src/history-reader.ts"))};
  import { openRegister } from ${JSON.stringify(join(root, "packages/tinyvex/src/index.ts"))};
  const register = await openRegister({ path: ${JSON.stringify(database)} });
  console.log("started");
  const options = { source: "claude", register, home: ${JSON.stringify(home)}, env: {}, agentId: "claude", reader: new HistoryReader() };
  console.log(JSON.stringify(await importHistories(options)));
  await register.close();
  await options.reader.close();
`;

/** Runs an import in a process of its own, and kills it so many milliseconds after it began. Returns what it had to say if it was faster. */
async function killImport(home: string, database: string, killAfter: number): Promise<string> {
  const args = ["--no-warnings", "--input-type=module", "-e", program(home, database)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    if (text.includes("started")) setTimeout(() => child.kill("SIGKILL"), killAfter);
  });
  await once(child, "close");
  return said.split("\n").at(1) ?? "";
}

/** Runs one to its end. */
async function importHere(home: string, database: string): Promise<ImportResult> {
  const register = await openRegister({ path: database });
  const reader = new HistoryReader();
  try {
    return await importHistories({ source: "claude", register, home, env: {}, agentId: "claude", reader });
  } finally {
    await register.close();
    await reader.close();
  }
}

function writeHistories(home: string): void {
  const folder = join(home, ".claude/projects/-work");
  mkdirSync(folder, { recursive: true });
  for (let session = 0; session < 4; session++) {
    const lines = Array.from({ length: 400 }, (_, index) => {
      const timestamp = new Date(Date.UTC(2026, 0, 2, session, 0, index)).toISOString();
      const common = { cwd: "/work", timestamp };
      const id = `tool-${index >> 2}`;
      switch (index % 4) {
        case 0:
          return { ...common, type: "user", message: { content: `Question ${index}` } };
        case 1:
          return assistant(common, index, { type: "tool_use", id, name: "Bash", input: { command: `echo ${index}` } });
        case 2: {
          const content = [{ type: "tool_result", tool_use_id: id, content: "x".repeat(500) }];
          return { ...common, type: "user", message: { content } };
        }
        default:
          return assistant(common, index, { type: "text", text: `Answer ${index}` });
      }
    });
    writeFileSync(join(folder, `s${session}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }
}

const assistant = (common: object, index: number, block: object) => ({
  ...common,
  type: "assistant",
  message: { id: `m${index}`, content: [block] },
});

/** Everything that a person would see, without ids. */
async function seen(database: string): Promise<readonly unknown[]> {
  const register = await openRegister({ path: database });
  try {
    const { rows } = await register.query("threads.list", {});
    const threads = rows.toSorted((one, other) => (one.session_id ?? "").localeCompare(other.session_id ?? ""));
    return await Promise.all(
      threads.map(async ({ id, title, session_id, status, created_at, message_count, tool_call_count }) => {
        const items = (await register.query("timeline.list", { thread_id: id, limit: 1000 })).rows;
        const turns = (await register.query("turns.list", { thread_id: id, limit: 1000 })).rows;
        return {
          head: { title, session_id, status, created_at, message_count, tool_call_count },
          items: items.map((item) =>
            item.type === "message"
              ? [item.role, item.text, item.created_at]
              : [item.title, item.status, item.ended_at],
          ),
          turns: turns.map(({ status: word, ended_at }) => [word, ended_at]),
        };
      }),
    );
  } finally {
    await register.close();
  }
}

describe("an import of histories", () => {
  it("can be started by a command, with and without a running host", async () => {
    using folder = new TemporaryFolder();
    writeHistories(folder.in("home"));
    const args = ["import", "claude", "--json", "--data-dir", folder.in("data")];
    const env = { HOME: folder.in("home") };
    const first = await runProgram(args, env);
    expect({ ...first, stdout: JSON.parse(first.stdout) }).toMatchObject({
      code: 0,
      stdout: { imported: 4, failed: [] },
    });
    await using host = await HostProcess.start(folder.in("data"), undefined, env);
    expect(host.ready.data_dir).toBe(folder.in("data"));
    expect(JSON.parse((await runProgram(args, env)).stdout)).toMatchObject({ imported: 0, unchanged: 4 });
    const wrong = await runProgram(["import", "cursor"], env);
    expect(wrong).toMatchObject({ code: 64, stderr: expect.stringContaining("claude, codex") });
  });

  it("gives the same result however often it is killed", async () => {
    using folder = new TemporaryFolder();
    const home = folder.in("home");
    writeHistories(home);
    expect(await importHere(home, folder.in("calm.db"))).toEqual({
      imported: 4,
      continued: 0,
      unchanged: 0,
      skipped: 0,
      failed: [],
    });
    const wanted = await seen(folder.in("calm.db"));
    expect(wanted).toHaveLength(4);

    const database = folder.in("disturbed.db");
    let kills = 0;
    for (const milliseconds of [15, 40, 2, 90].slice(0, rounds({ some: 2, all: 4 }))) {
      if ((await killImport(home, database, milliseconds)) === "") kills++;
    }
    expect(kills).toBeGreaterThan(0);
    await importHere(home, database);
    expect(await seen(database)).toEqual(wanted);
    expect(await importHere(home, database)).toMatchObject({ imported: 0, continued: 0, unchanged: 4 });
  });

  it("of a screen reports its progress to every screen, runs alone, and duplicates nothing", async () => {
    using folder = new TemporaryFolder();
    const home = folder.in("home");
    writeHistories(home);
    const env = { HOME: home, CLAUDE_CONFIG_DIR: undefined };
    await using host = await HostProcess.start(folder.in("data"), ["--port", "0"], env);
    using screen = await TestScreen.connect(host.ready);
    using other = await TestScreen.connect(host.ready);
    const start = { control: "import.start", source: "claude" } as const;
    // On one line, so that nothing can come between the two.
    const answer = screen.request(start);
    const refused = screen.request(start);
    expect(await refused).toMatchObject({ type: "tinyvex.error", code: "conflict" });
    expect(await answer).toMatchObject({ imported: 4, failed: [] });
    await other.waitFor((message) => message.type === "host.progress" && message.finished);
    const steps = other.received.filter((message) => message.type === "host.progress");
    expect(steps.every(({ task, subject }) => task === "import" && subject === "claude")).toBe(true);
    expect(steps.filter(({ finished }) => finished)).toHaveLength(1);
    const done = steps.flatMap((step) => step.done ?? []);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
    expect(steps.find(({ total }) => total === 4)).toBeDefined();
    expect((await screen.query("threads.list", {})).rows).toHaveLength(4);
    expect(await screen.request(start)).toMatchObject({ imported: 0, continued: 0, unchanged: 4 });
  });
});
