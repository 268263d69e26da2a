// Checks that a register which is open keeps its locks while the same process opens the file again.
import { readFileSync, statSync } from "node:fs";
import { expect, it } from "vitest";
import { openRegister, openRegisterReader } from "../open-register.ts";
import { temporaryRegister } from "../testing/temporary-register.ts";

/** The locks of this process on the register's files, without those that come and go with each read. */
function listLocks(path: string): readonly string[] {
  const files = [path, `${path}-shm`, `${path}.lock`].map((file) => `:${statSync(file).ino} `);
  return readFileSync("/proc/locks", "utf8")
    .split("\n")
    .filter((line) => line.includes(` ${process.pid} `) && files.some((file) => line.includes(file)))
    .map((line) => line.replace(/^\d+: /, ""))
    .filter((line) => !/ 12[0-7] 12[0-7]$/.test(line))
    .toSorted();
}

it.runIf(process.platform === "linux")("keeps its locks when this process opens the register again", async () => {
  const { path } = await temporaryRegister();
  const held = listLocks(path);
  expect(held).toHaveLength(4);
  await (await openRegisterReader({ path })).close();
  await expect(openRegister({ path })).rejects.toMatchObject({ code: "in_use" });
  expect(listLocks(path)).toEqual(held);
});
