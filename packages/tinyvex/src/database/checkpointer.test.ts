import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { fact } from "../testing/entries.ts";
import { eventually, slow, temporaryFolder, temporaryRegister } from "../testing/temporary-register.ts";
import { Checkpointer } from "./checkpointer.ts";
import { openWriter } from "./connection.ts";

const MB = 1024 * 1024;

it("after a pause the write-ahead log is in the file, while the register is open", slow, async () => {
  const { register, path } = await temporaryRegister();
  const { id } = await register.createThread({ agent_id: "a", cwd: "/" });
  for (let index = 0; index < 100; index++) {
    register.append(id, fact({ type: "terminal_output", terminal_id: "t", text: `${index} `.padEnd(64 * 1024, "x") }));
  }
  await register.settled(id);
  await eventually(() => (statSync(path).size > 6 * MB ? true : null));
  const { rows } = await register.query("events.list", { thread_id: id, limit: 1000 });
  expect(rows.length).toBeGreaterThan(100);
});

it("[R8] closing ends a checkpoint that runs", slow, async () => {
  const path = join(temporaryFolder(), "register.db");
  const database = openWriter(path);
  const checkpointer = new Checkpointer(database, path);
  const before = childrenOfThis();
  checkpointer.committed(33 * MB);
  const started = childrenOfThis().filter((pid) => !before.includes(pid));
  if (existsSync("/proc/self")) expect(started).toHaveLength(1);
  await checkpointer.close();
  expect(processesThatName(path)).toEqual([]);
  database.close();
});

it("the log of a writer that never pauses begins anew when the other process has moved most of it", slow, async () => {
  const path = join(temporaryFolder(), "register.db");
  const database = openWriter(path);
  database.exec("CREATE TABLE notes(text TEXT) STRICT");
  const insert = database.prepare("INSERT INTO notes VALUES (?)");
  const checkpointer = new Checkpointer(database, path);
  checkpointer.committed(33 * MB);
  checkpointer.committed(0);
  // The header of the log counts how often it began anew.
  while (readFileSync(`${path}-wal`).readUInt32BE(12) === 0) {
    for (let count = 0; count < 100; count++) insert.run("word");
    await new Promise((resolve) => setImmediate(resolve));
  }
  await checkpointer.close();
  database.close();
});

it("keeps a process that only waits for room alive until there is some", slow, async () => {
  const path = join(temporaryFolder(), "register.db");
  const module = (name: string) => JSON.stringify(join(import.meta.dirname, name));
  const program = `
    const { openWriter } = await import(${module("connection.ts")});
    const { Checkpointer } = await import(${module("checkpointer.ts")});
    const checkpointer = new Checkpointer(openWriter(process.argv[1]), process.argv[1]);
    checkpointer.committed(${33 * MB});
    checkpointer.committed(${33 * MB});
    await checkpointer.room();
    console.log("there is room");`;
  const args = ["--no-warnings", "--input-type=module", "--eval", program, path];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toBe("there is room\n");
});

/** Also those that have just ended: on a busy machine that may be before anyone looks. Only Linux tells. */
function childrenOfThis(): readonly string[] {
  const threads = existsSync("/proc/self/task") ? readdirSync("/proc/self/task") : [];
  const lists = threads.map((thread) => readFileSync(`/proc/self/task/${thread}/children`, "utf8"));
  return lists.flatMap((list) => list.split(" ").filter((pid) => pid !== ""));
}

/** The processes besides this one whose command line has a text; only Linux tells. */
function processesThatName(text: string): readonly string[] {
  return (existsSync("/proc") ? readdirSync("/proc") : [])
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
      } catch {
        return false; // It has ended.
      }
    });
}
