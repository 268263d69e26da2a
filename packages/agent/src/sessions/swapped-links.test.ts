import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WrittenRule } from "@signalbox/rules";
import type { PermissionRequest } from "@signalbox/tool-calls";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openWorkspace } from "../tools/open-workspace.ts";
import type { Tool } from "../tools/tool.ts";
import { SessionPermissions } from "./session-permissions.ts";

let folder: string;
let cwd: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "agent-links-")));
  cwd = join(folder, "project");
  for (const name of ["project/ok/inner", "project/other", "data"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(cwd, "ok/inner/f"), "decided");
  writeFileSync(join(cwd, "other/f"), "secret");
  symlinkSync("inner", join(cwd, "ok/d"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(...rules: readonly WrittenRule[]) {
  const permissions = new SessionPermissions({
    client: { requestPermission: () => Promise.reject(new Error("no one is there")) },
    rules,
    mode: () => "sandbox",
    tools: () => [{ name: "read", readOnly: true } as Tool],
    cwd,
    autoAllowSandboxed: async () => false,
  });
  const workspace = openWorkspace({
    cwd,
    additionalDirectories: [],
    home: join(folder, "data"),
    access: () => ({ mode: "sandbox", network: false, writable: [] }),
    refusal: (realPath, kind) => permissions.refusal(realPath, kind),
  });
  /** Decides about a call, and carries it out where it is allowed, as the executor does. */
  const call = async (tool: "read" | "write", path: string): Promise<string> => {
    const kind = tool === "read" ? "read" : "edit";
    // Each call is of a turn of its own: in the same turn, one refusal would hold for all that follow.
    permissions.beginTurn();
    const about = { tool, kind, title: tool, args: { path }, locations: [{ path }], content: [], cwd } as const;
    const request = { sessionId: "s", toolCallId: "c", signal: AbortSignal.timeout(60_000), ...about };
    const decision = await permissions.decide(request satisfies PermissionRequest);
    if (!decision.allowed) return "denied";
    if (tool === "read") return Buffer.from(await workspace.files.bytes(path, 100)).toString();
    await workspace.files.write(path, "x", null, request.signal);
    return "written";
  };
  return async (tool: "read" | "write", path: string) =>
    await call(tool, path).catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
}

/** Makes `ok/d` lead to `ok/inner` and to `other` in turn, as fast as it can. */
const swapper = `
const { linkSync, renameSync, symlinkSync } = require("node:fs");
symlinkSync("inner", "to-inner");
symlinkSync("../other", "to-other");
process.stdout.write("ready");
// Always these two links, under another name: a file system may not reuse what was deleted for minutes, and is slow meanwhile.
for (let i = 0; ; i++) {
  linkSync(i % 2 ? "to-inner" : "to-other", "ok/next");
  renameSync("ok/next", "ok/d");
}`;

async function whileSwapping(attempt: () => Promise<string>): Promise<ReadonlySet<string>> {
  const child = spawn(process.execPath, ["-e", swapper], { cwd, stdio: ["ignore", "pipe", "inherit"] });
  try {
    await once(child.stdout, "data");
    const results = new Set<string>();
    for (let done = 0; done < 400; done++) results.add(await attempt());
    return results;
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}

const rule = (decision: WrittenRule["decision"], match: string): WrittenRule => ({ decision, match });

it.runIf(process.platform === "linux").each([rule("deny", "path:other/**"), rule("ask", "path:other/**")])(
  "a tool of ours never reads by a swapped link what a rule keeps from it: %j",
  { timeout: 60_000 },
  async (kept) => {
    const use = open(kept);
    const results = await whileSwapping(() => use("read", join(cwd, "ok/d/f")));
    expect(results).not.toContain("secret");
    expect(results).toContain("decided");
  },
);

it.runIf(process.platform === "linux")(
  "a tool of ours never writes by a swapped link that was not decided about",
  { timeout: 60_000 },
  async () => {
    const use = open(rule("allow", "kind:edit,path:ok/**"));
    const results = await whileSwapping(async () => {
      rmSync(join(cwd, "ok/inner/new"), { force: true });
      return await use("write", join(cwd, "ok/d/new"));
    });
    expect(results).toContain("written");
    expect(readdirSync(join(cwd, "other"))).toEqual(["f"]);
  },
);
