// Compiles the Linux helper into packages/sandbox/dist, if it is not there already. Plain JavaScript without
// dependencies, because set-up runs it on whatever Node it finds, before anything is installed.
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { realpathSync } from "node:fs";
import { mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { argv, exit, platform } from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const native = dirname(fileURLToPath(import.meta.url));
const dist = join(native, "..", "dist");
const helper = join(dist, "signalbox-sandbox");
const stamp = join(dist, "signalbox-sandbox.stamp");

// A static helper starts faster and does not care which libc the machine has; plain dynamic linking works as well.
const attempts = [
  { compiler: "musl-gcc", flags: ["-static", "-no-pie", "-Wl,-z,noseparate-code"] }, // the smallest thing to start
  { compiler: "cc", flags: ["-static"] },
  { compiler: "cc", flags: [] },
  { compiler: "gcc", flags: [] },
  { compiler: "clang", flags: [] },
];
const commonFlags = ["-O2", "-std=gnu11", "-Wall", "-Wextra"];
const remedy =
  "Install a C compiler (Debian, Ubuntu: `apt install gcc libc6-dev`; Fedora: `dnf install gcc`; " +
  "Alpine: `apk add gcc musl-dev`), then run `node packages/sandbox/native/build.mjs`. " +
  "Until then commands run under bubblewrap where it is installed, and are refused where it is not.";

/**
 * @param {{ log?: (line: string) => void }} [options]
 * @returns {Promise<{ path: string } | { missing: string }>}
 */
export async function buildHelper({ log = () => {} } = {}) {
  if (platform !== "linux") return { missing: `The sandbox helper is for Linux; ${platform} does not use one.` };
  const sources = (await readdir(native)).filter((name) => /\.[ch]$/.test(name)).toSorted();
  const failures = [];
  for (const { compiler, flags } of attempts) {
    const version = await versionOf(compiler);
    if (version === undefined) continue;
    const fingerprint = await fingerprintOf(sources, [compiler, version, ...commonFlags, ...flags]);
    if (await isUpToDate(fingerprint)) return { path: helper };
    const problem = await compile(compiler, flags, sources, fingerprint);
    if (problem === undefined) {
      log(`compiled the sandbox helper with ${[compiler, ...flags].join(" ")}`);
      return { path: helper };
    }
    failures.push(`${[compiler, ...flags].join(" ")}: ${problem}`);
  }
  if (failures.length === 0) return { missing: `No C compiler was found. ${remedy}` };
  return { missing: `The sandbox helper did not compile (${failures.join("; ")}). ${remedy}` };
}

async function versionOf(compiler) {
  try {
    const { stdout } = await run(compiler, ["--version"]);
    return stdout.split("\n", 1)[0];
  } catch {
    return undefined;
  }
}

async function fingerprintOf(sources, circumstances) {
  const hash = createHash("sha256").update(JSON.stringify(circumstances));
  for (const name of sources) hash.update(`\0${name}\0`).update(await readFile(join(native, name)));
  return hash.digest("hex");
}

async function isUpToDate(fingerprint) {
  try {
    // The stamp names the binary's own hash too: a binary that was replaced or truncated is built again.
    return (await readFile(stamp, "utf8")) === (await stampFor(fingerprint, helper));
  } catch {
    return false;
  }
}

async function stampFor(fingerprint, binary) {
  return `${fingerprint} ${createHash("sha256").update(await readFile(binary)).digest("hex")}\n`;
}

/** Returns what went wrong. Both files appear by rename, so that a second build at the same time does no harm. */
async function compile(compiler, flags, sources, fingerprint) {
  await mkdir(dist, { recursive: true });
  const unfinished = join(dist, `signalbox-sandbox.${randomUUID()}`);
  const files = sources.filter((name) => name.endsWith(".c")).map((name) => join(native, name));
  try {
    await run(compiler, [...commonFlags, ...flags, "-o", unfinished, ...files]);
    await writeFile(`${unfinished}.stamp`, await stampFor(fingerprint, unfinished));
    await rename(unfinished, helper);
    await rename(`${unfinished}.stamp`, stamp);
    return undefined;
  } catch (error) {
    const text = String(error.stderr ?? error.message ?? error).trim();
    return text.split("\n").find((line) => line.includes("error")) ?? text.slice(0, 200);
  } finally {
    await rm(unfinished, { force: true });
    await rm(`${unfinished}.stamp`, { force: true });
  }
}

if (argv[1] !== undefined && fileURLToPath(import.meta.url) === realpathSync(argv[1])) {
  const result = await buildHelper({ log: console.log });
  console.log("path" in result ? result.path : result.missing);
  exit("path" in result ? 0 : 1);
}
