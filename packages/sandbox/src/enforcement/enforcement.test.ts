// Enforcement is proven, not assumed: what does not hold is not used, and without any, commands are refused.
import { execFile } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { buildHelper } from "../../native/build.mjs";
import { compiledHelper } from "../testing/proven-enforcement.ts";
import { SandboxedPlace } from "../testing/sandboxed-place.ts";
import { TemporaryFolder } from "../testing/temporary-folder.ts";
import { describeEnforcement, type Enforcement } from "./enforcement.ts";
import { proveEnforcement } from "./prove-enforcement.ts";
import { selfTest } from "./self-test.ts";

const run = promisify(execFile);
let helper = "";
beforeAll(async () => {
  helper = await compiledHelper();
}, 60_000);

describe("the self-test", () => {
  it("passes with each layer of the helper that holds, and leaves nothing behind", async () => {
    using temp = new TemporaryFolder();
    vi.stubEnv("TMPDIR", temp.path); // other programs on this machine run self-tests in the common one
    expect(await selfTest({ kind: "landlock", helper, layer: "landlock", abi: 1 })).toBe(undefined);
    expect(await selfTest({ kind: "landlock", helper, layer: "landlock", abi: 99 })).toBe(undefined);
    vi.unstubAllEnvs();
    expect(readdirSync(temp.path)).toEqual([]);
  });

  it("notices that nothing is enforced", async () => {
    expect(await selfTest({ kind: "off", helper })).toBe("a command can create a file outside");
    expect(await selfTest({ kind: "off", helper: undefined })).toBe("a command can create a file outside");
  });

  it("notices a helper that does not run or does something else", async () => {
    using place = new SandboxedPlace();
    const broken = place.folder.at("broken");
    writeFileSync(broken, "#!/bin/sh\nexit 1\n");
    chmodSync(broken, 0o755);
    expect(await selfTest({ kind: "landlock", helper: broken, layer: "landlock", abi: 1 })).toBeTypeOf("string");
    expect(await selfTest({ kind: "landlock", helper: "/no/such/helper", layer: "landlock", abi: 1 })).toContain(
      "ENOENT",
    );
  });
});

describe("the choice", () => {
  it("is our helper where it holds", async () => {
    expect(await proveEnforcement({ helper })).toMatchObject({ kind: "landlock", helper });
  });

  it("is bubblewrap without the helper, or nothing, and then the remedy is named", async () => {
    const enforcement = await proveEnforcement({ helper: undefined });
    if (existsSync("/usr/bin/bwrap")) expect(enforcement).toEqual({ kind: "bubblewrap", program: "/usr/bin/bwrap" });
    else expect(enforcement).toMatchObject({ kind: "unavailable", remedy: expect.stringContaining("build.mjs") });
  });

  it("is off only when the user says so", async () => {
    expect(await proveEnforcement({ off: true, helper })).toEqual({ kind: "off", helper });
    expect(describeEnforcement({ kind: "off", helper })).toContain("SANDBOX OFF");
  });

  it("is Landlock alone where the kernel gives no namespaces", async () => {
    using place = new SandboxedPlace();
    if (!existsSync("/usr/bin/bwrap")) return; // what takes the namespaces away here
    const index = join(import.meta.dirname, "../index.ts");
    const script = `import { proveEnforcement } from ${JSON.stringify(index)};
      console.log(JSON.stringify(await proveEnforcement({ helper: ${JSON.stringify(helper)} })));`;
    const temp = place.folder.at("temp");
    const jail = [
      "--ro-bind",
      "/",
      "/",
      "--bind",
      temp,
      temp,
      "--setenv",
      "TMPDIR",
      temp,
      "--dev",
      "/dev",
      "--proc",
      "/proc",
    ];
    const noMore = ["--unshare-user", "--disable-userns", "--cap-drop", "ALL"];
    const { stdout } = await run("/usr/bin/bwrap", [
      ...jail,
      ...noMore,
      process.execPath,
      "--no-warnings",
      "--input-type=module-typescript",
      "-e",
      script,
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ kind: "landlock", layer: "landlock" });
  });
});

it("each enforcement describes itself in one line, with what it lacks", () => {
  const all: Enforcement[] = [
    { kind: "landlock", helper, layer: "namespaces", abi: 7 },
    { kind: "landlock", helper, layer: "landlock", abi: 4 },
    { kind: "bubblewrap", program: "/usr/bin/bwrap" },
    { kind: "seatbelt", program: "/usr/bin/sandbox-exec" },
    { kind: "unavailable", reason: "there is none.", remedy: "Get one." },
  ];
  for (const enforcement of all) expect(describeEnforcement(enforcement)).toMatch(/^(sandbox on|no sandbox)[^\n]+$/);
  expect(describeEnforcement({ kind: "landlock", helper, layer: "landlock", abi: 4 })).toContain("not protected");
});

describe("a helper that is linked dynamically", () => {
  it("does not let LD_PRELOAD act before the sandbox stands", { timeout: 60_000 }, async () => {
    using place = new SandboxedPlace();
    const native = join(import.meta.dirname, "../../native");
    const sources = readdirSync(native)
      .filter((name) => name.endsWith(".c"))
      .map((name) => join(native, name));
    const dynamic = place.folder.at("dynamic");
    await run("cc", ["-O0", "-o", dynamic, ...sources]);
    const marker = place.folder.at("outside/escaped");
    const source = `#include <fcntl.h>
      __attribute__((constructor)) static void act(void) { open(${JSON.stringify(marker)}, O_CREAT | O_WRONLY, 0644); }`;
    writeFileSync(place.folder.at("evil.c"), source);
    await run("cc", ["-shared", "-fPIC", "-o", place.folder.at("evil.so"), place.folder.at("evil.c")]);
    const enforcement: Enforcement = { kind: "landlock", helper: dynamic, layer: "landlock", abi: 99 };
    const env = { LD_PRELOAD: place.folder.at("evil.so") };
    const result = await place.run({ enforcement, command: "echo $LD_PRELOAD", env });
    expect(result.output.text).toContain("evil.so"); // the command has it
    expect(existsSync(marker)).toBe(false); // and could do nothing with it
  });
});

describe("the build", () => {
  it("does nothing when all is as it was, and can run twice at the same time", async () => {
    const before = readFileSync(helper);
    const lines: string[] = [];
    const results = await Promise.all([0, 1, 2].map(() => buildHelper({ log: (line) => lines.push(line) })));
    expect(results).toEqual([{ path: helper }, { path: helper }, { path: helper }]);
    expect(lines).toEqual([]);
    expect(readFileSync(helper).equals(before)).toBe(true);
  });

  it("without a compiler says what to install", async () => {
    const script = join(import.meta.dirname, "../../native/build.mjs");
    const attempt = run(process.execPath, [script], { env: { PATH: "/nowhere" } });
    await expect(attempt).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining("Install a C compiler") });
  });
});
