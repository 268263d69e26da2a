// Set-up's promises that need no fresh machine: ./signalbox from anywhere, and clear words when a step cannot be done.
import { execFile, spawn } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { root, TemporaryFolder } from "../support/host-process.ts";
import { isRunning } from "../support/processes.ts";

const run = promisify(execFile);

async function failure(work: Promise<unknown>): Promise<{ code: number; stderr: string; stdout: string }> {
  try {
    await work;
  } catch (error) {
    return error as { code: number; stderr: string; stdout: string };
  }
  throw new Error("it did not fail");
}

describe("./signalbox", () => {
  it("works from any folder and through symlinks, also relative ones", async () => {
    using folder = new TemporaryFolder();
    mkdirSync(folder.in("bin"));
    symlinkSync(`${root}/signalbox`, folder.in("bin/direct"));
    symlinkSync("direct", folder.in("bin/indirect"));
    symlinkSync("bin/indirect", folder.in("far"));
    for (const command of [`${root}/signalbox`, folder.in("bin/direct"), folder.in("far")]) {
      const { stdout } = await run(command, ["--version"], { cwd: folder.path });
      expect(stdout).toMatch(/^signalbox \d/);
    }
  });

  it("passes the exit code and stdout on untouched", async () => {
    const failed = await failure(run(`${root}/signalbox`, ["--nonsense"]));
    expect(failed).toMatchObject({ code: 64, stdout: "" });
  });
});

describe("npm start", () => {
  it.each(["SIGTERM", "SIGKILL"] as const)("takes the host along when npm ends by %s", async (signal) => {
    using folder = new TemporaryFolder();
    const flags = ["--port", "0", "--no-open", "--json", "--data-dir", folder.in("data")];
    const npm = spawn("npm", ["start", "--silent", "--", ...flags], {
      cwd: root,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let pid = 0;
    for await (const line of createInterface({ input: npm.stdout })) {
      if (!line.startsWith("{")) continue;
      pid = (JSON.parse(line) as { pid: number }).pid;
      break;
    }
    npm.kill(signal);
    await expect.poll(() => isRunning(pid)).toBe(false);
  });
});

describe("set-up", () => {
  it("says which step needs the network when there is none", async () => {
    using folder = new TemporaryFolder();
    for (const name of ["scripts", "package.json", "package-lock.json"]) {
      cpSync(`${root}/${name}`, folder.in(name), { recursive: true });
    }
    const env = {
      ...process.env,
      npm_config_registry: "http://127.0.0.1:9/",
      npm_config_cache: folder.in("cache"),
      npm_config_fetch_retries: "0",
    };
    const failed = await failure(run(process.execPath, ["scripts/setup.mjs"], { cwd: folder.path, env }));
    expect(failed.stderr).toContain(
      "Set-up stopped while it installed the dependencies: the package registry could not be reached. This step needs the network once.",
    );
    expect(failed.code).toBe(1);
  });

  it("brings Node 24 only where the machine's Node is older", async () => {
    using folder = new TemporaryFolder();
    cpSync(`${root}/scripts`, folder.in("scripts"), { recursive: true });
    const script = `import { ensureNode } from "${folder.in("scripts/setup/node-24.mjs")}"; console.log(await ensureNode());`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script]);
    expect(stdout.trim()).toBe(process.execPath);
  });

  it.each([
    ["CHROMIUM_PATH names no program", { CHROMIUM_PATH: "/nowhere/chromium" }, "CHROMIUM_PATH names /nowhere/chromium"],
    [
      "there is no Chromium and it may not be installed",
      { PATH: dirname(process.execPath) },
      "need Chromium and none was found. Install it",
    ],
  ])("does not skip the page's tests when %s", async (_, environment, words) => {
    const env = { ...process.env, CHROMIUM_PATH: "", ...environment };
    const script = `import { ensureChromium } from "${root}/scripts/setup/chromium.mjs"; await ensureChromium();`;
    const failed = await failure(run(process.execPath, ["--input-type=module", "-e", script], { env }));
    expect(failed.stderr).toContain(words);
  });
});
