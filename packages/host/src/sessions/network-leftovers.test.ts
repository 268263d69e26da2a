// Checks what a host removes of an earlier one that was killed.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { removeNetworkLeftovers } from "./network-leftovers.ts";

it("removes the sockets of a killed host, and nothing else", () => {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-leftovers-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "run"));
  for (const name of ["proxy-1", "loopback-95105eb227ce", "host.json"]) writeFileSync(join(folder, "run", name), "");
  removeNetworkLeftovers(folder);
  expect(readdirSync(join(folder, "run"))).toEqual(["host.json"]);
});
