// Checks that a register is read in a folder that cannot be written, and that a missing write-ahead log is named.
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openRegister, openRegisterReader } from "./open-register.ts";
import { endTurn, says, threadWithTurn } from "./testing/entries.ts";
import { slow, temporaryFolder, temporaryRegister } from "./testing/temporary-register.ts";

/** By a mount where the system lets us: a mode does not stop root. */
function makeReadOnly(folder: string): void {
  const mount = (...args: string[]) => spawnSync("mount", [...args, folder], { stdio: "ignore" }).status === 0;
  if (process.getuid?.() === 0 && mount("--bind", folder)) {
    onTestFinished(() => void spawnSync("umount", ["-l", folder], { stdio: "ignore" }));
    mount("-o", "remount,ro,bind");
  } else {
    chmodSync(folder, 0o555);
    onTestFinished(() => chmodSync(folder, 0o755));
  }
}

async function fill(path: string): Promise<string> {
  const register = await openRegister({ path });
  const id = await threadWithTurn(register);
  register.append(id, says("a word"));
  endTurn(register, id, "turn-1");
  await register.settled(id);
  await register.close();
  return id;
}

it("reads a register that was closed, and makes no files", slow, async () => {
  const path = join(temporaryFolder(), "register.db");
  const id = await fill(path);
  rmSync(`${path}.lock`, { force: true });
  makeReadOnly(dirname(path));
  const reader = await openRegisterReader({ path });
  expect((await reader.query("search", { text: "word" })).rows).toHaveLength(1);
  expect((await reader.query("threads.list", {})).rows.map((row) => row.id)).toEqual([id]);
  await reader.close();
  expect(readdirSync(dirname(path))).toEqual(["register.db"]);
});

it("reads a register whose process died, with its log", slow, async () => {
  const { register, path } = await temporaryRegister();
  const id = await threadWithTurn(register);
  const folder = join(temporaryFolder(), "copy");
  mkdirSync(folder);
  for (const suffix of ["", "-wal", "-shm"]) copyFileSync(`${path}${suffix}`, join(folder, `register.db${suffix}`));
  makeReadOnly(folder);
  const reader = await openRegisterReader({ path: join(folder, "register.db") });
  expect((await reader.query("threads.list", {})).rows.map((row) => row.id)).toEqual([id]);
  await reader.close();
});

it("names the write-ahead log where it is missing", slow, async () => {
  const path = join(temporaryFolder(), "register.db");
  const register = await openRegister({ path });
  const copy = join(temporaryFolder(), "register.db");
  copyFileSync(path, copy);
  await register.close();
  const missing = { code: "damaged", message: expect.stringContaining(`its write-ahead log ${copy}-wal`) };
  await expect(openRegisterReader({ path: copy })).rejects.toMatchObject(missing);
  await expect(openRegister({ path: copy })).rejects.toMatchObject(missing);
});
