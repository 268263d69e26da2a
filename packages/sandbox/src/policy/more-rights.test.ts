// More rights for a command: whatever a person was asked about, what is protected stays closed, also by other names for it.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SandboxedPlace } from "../testing/sandboxed-place.ts";
import { canRead, canWrite } from "./can-access.ts";
import { withMoreRights } from "./more-rights.ts";

it("to write a folder opens that folder, and nothing that is protected", () => {
  using place = new SandboxedPlace({ "outside/shared/file": "" });
  const at = (...names: string[]) => place.folder.at(...names);
  mkdirSync(at("home/.ssh"), { recursive: true });
  writeFileSync(at("home/.ssh/id"), "");
  symlinkSync(at("home/.ssh"), at("work/link"));
  const rights = {
    enforcement: { kind: "off", helper: undefined },
    policy: place.policy({ homeFolder: at("home") }),
  } as const;
  const open = (folder: string) => withMoreRights(rights, { to: "write", folder });
  for (const folder of [
    at("home/.ssh"),
    at("work/link"),
    at("outside/../home/.ssh"),
    "/etc",
    "/proc/self",
    "/proc/self/root/etc",
    "relative",
  ])
    expect([folder, typeof open(folder)]).toEqual([folder, "string"]);
  for (const folder of [at("outside/missing"), at("outside/shared/file")]) expect(open(folder)).toContain(folder);

  const opened = open(at("outside/shared"));
  if (typeof opened === "string") throw new Error(opened);
  expect(canWrite(opened.policy, at("outside/shared/new")).allowed).toBe(true);
  expect(canWrite(opened.policy, at("outside/other")).allowed).toBe(false);
  expect(canWrite(opened.policy, at("outside/shared/.git/hooks/pre-commit")).allowed).toBe(false);

  // A folder around what is protected, and the whole disk.
  for (const folder of [at("home"), "/"]) {
    const around = open(folder);
    if (typeof around === "string") continue;
    expect(canRead(around.policy, at("home/.ssh/id")).allowed).toBe(false);
    for (const path of [at("home/.ssh/new"), at("home/.bashrc"), "/etc/passwd", join("/usr/bin/env")])
      expect([folder, path, canWrite(around.policy, path).allowed]).toEqual([folder, path, false]);
  }
});

it("to the network opens no file", () => {
  using place = new SandboxedPlace();
  const policy = place.policy();
  const rights = withMoreRights({ enforcement: { kind: "off", helper: undefined }, policy }, { to: "network" });
  expect(rights).toMatchObject({ policy: { network: "on", rules: policy.rules } });
});
