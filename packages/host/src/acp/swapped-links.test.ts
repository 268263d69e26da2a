import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPolicy } from "@signalbox/sandbox";
import type { Register } from "@signalbox/tinyvex";
import { afterEach, beforeEach, expect, it } from "vitest";
import { PermissionBroker } from "../permissions/broker.ts";
import { RuleStore } from "../permissions/rule-store.ts";
import { ThreadPermissions } from "../permissions/thread-permissions.ts";
import { Editors } from "./editors.ts";
import { readTextFile, writeTextFile } from "./files.ts";
import type { ThreadContext } from "./thread-context.ts";

let folder: string;
let thread: ThreadContext;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-links-")));
  const cwd = join(folder, "project");
  for (const name of ["project/ok/inner", "project/forbidden", "data"])
    mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(cwd, "ok/inner/f"), "allowed\n");
  writeFileSync(join(cwd, "forbidden/f"), "secret\n");
  symlinkSync("inner", join(cwd, "ok/d"));
  const register = { append: () => {} } as unknown as Register;
  const rules = new RuleStore(join(folder, "data/permissions.json"), () => {});
  rules.addFixed(
    [
      { decision: "allow", match: "kind:edit,path:ok/**", scope: null },
      { decision: "deny", match: "path:forbidden/**", scope: null },
    ],
    "user_config",
  );
  const broker = new PermissionBroker(register, rules, 60_000);
  const place = { agentId: "a", threadId: "t", cwd };
  const policy = createPolicy({
    mode: "sandbox",
    network: "off",
    workspaceFolders: [cwd],
    dataFolder: join(folder, "data"),
    homeFolder: join(folder, "home"),
    tempFolder: join(folder, "temp"),
  });
  const permissions = new ThreadPermissions(broker, "t");
  const parts = { place, register, permissions, sandbox: { policy }, editors: new Editors() };
  thread = { ...parts, readMissingFile: () => "not_found" } as unknown as ThreadContext;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Makes `ok/d` lead to `ok/inner` and to `forbidden` in turn, as fast as it can. */
const swapper = `
const { linkSync, renameSync, symlinkSync } = require("node:fs");
symlinkSync("inner", "to-inner");
symlinkSync("../forbidden", "to-forbidden");
process.stdout.write("ready");
// Always these two links, under another name: a file system may not reuse what was deleted for minutes, and is slow meanwhile.
for (let i = 0; ; i++) {
  linkSync(i % 2 ? "to-inner" : "to-forbidden", "ok/next");
  renameSync("ok/next", "ok/d");
}`;

async function whileSwapping(
  count: number,
  attempt: () => Promise<unknown>,
): Promise<{ passed: number; refused: number }> {
  const child = spawn(process.execPath, ["-e", swapper], {
    cwd: thread.place.cwd,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await once(child.stdout, "data");
    const result = { passed: 0, refused: 0 };
    for (let done = 0; done < count; done++) {
      await attempt().then(
        () => result.passed++,
        () => result.refused++,
      );
    }
    return result;
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}

it.runIf(process.platform === "linux")(
  "a link that is swapped all the time never lets a file be read that a rule denies",
  {
    timeout: 60_000,
  },
  async () => {
    const path = join(thread.place.cwd, "ok/d/f");
    const contents = new Set<string>();
    const { refused } = await whileSwapping(400, async () => {
      contents.add((await readTextFile(thread, { sessionId: "s", path })).content);
    });
    expect([...contents]).toEqual(["allowed\n"]);
    expect(refused).toBeGreaterThan(0);
  },
);

it.runIf(process.platform === "linux")(
  "a link that is swapped all the time never lets a file be written that a rule denies",
  {
    timeout: 60_000,
  },
  async () => {
    const path = join(thread.place.cwd, "ok/d/new");
    const { passed } = await whileSwapping(400, () => writeTextFile(thread, { sessionId: "s", path, content: "x" }));
    expect(passed).toBeGreaterThan(0);
    expect(readdirSync(join(thread.place.cwd, "forbidden"))).toEqual(["f"]);
  },
);
