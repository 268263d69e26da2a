// Installs an agent into a folder of its own. The folder appears when everything in it works, and the one before it stays until then.
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { chmod, lstat, mkdir, readdir, readFile, realpath, rename, rm, stat, symlink } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { isJsonObject, type Json, messageOf } from "@signalbox/protocol";
import { describeExit, describeOutput } from "../agent-exit.ts";
import { AgentProcess, type AgentProcessOptions } from "../agent-process.ts";
import { findProgram, installedProgramName, listProgramPlaces } from "../find-program.ts";
import {
  type ArchivePlan,
  type InstallPlan,
  makeNpmArguments,
  type NpmPlan,
  readPackageName,
  type UvPlan,
} from "./install-plan.ts";

export interface InstallOptions extends Pick<AgentProcessOptions, "ledger"> {
  readonly folder: string;
  /** Variables that no installation gets to see: keys. */
  readonly secrets: readonly string[];
  readonly signal: AbortSignal;
  readonly onOutput: (text: string) => void;
  readonly onBytes: (done: number, total: number | undefined) => void;
  /** The largest size of what an archive unpacks to. */
  readonly maxUnpackedBytes?: number;
}

/** For root too, the files are the user's, and none has a set-user-id bit. */
const plainTar = ["--no-same-owner", "--no-same-permissions"];

/** No agent is larger. */
const maxArchiveBytes = 2 * 1024 ** 3;
/** The same, unpacked: an archive of some megabytes may hold terabytes of zeros. */
const usualMaxUnpackedBytes = 4 * 1024 ** 3;
const maxUnpackedFiles = 200_000;

/** Throws an error that says what failed. Leaves nothing behind then. */
export async function installAgent(plan: InstallPlan, options: InstallOptions): Promise<void> {
  const { folder } = options;
  const isLibrary = plan.type === "npm" && plan.program === null;
  // The environment of a Python program names its own path, and a library is added to a folder that may have others: both are made where they stay.
  const place = plan.type === "uv" || isLibrary ? folder : join(dirname(folder), `.new-${basename(folder)}`);
  if (!isLibrary) await rm(place, { recursive: true, force: true });
  await mkdir(place, { recursive: true, mode: 0o700 });
  try {
    const program = await bring(plan, place, options);
    options.signal.throwIfAborted();
    if (program !== null) await symlink(relative(place, program), join(place, installedProgramName));
    if (place !== folder) {
      await rm(folder, { recursive: true, force: true });
      await rename(place, folder);
    }
  } catch (error) {
    if (!isLibrary) await rm(place, { recursive: true, force: true });
    throw error;
  }
}

/** Puts the files into the place, and gives the path of the program; null for a library. */
function bring(plan: InstallPlan, place: string, options: InstallOptions): Promise<string | null> {
  switch (plan.type) {
    case "npm":
      return bringPackages(plan, place, options);
    case "uv":
      return bringPythonPackage(plan, place, options);
    case "archive":
      return bringArchive(plan, place, options);
  }
}

async function bringPackages(plan: NpmPlan, place: string, options: InstallOptions): Promise<string | null> {
  const quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--no-progress", "--loglevel=http"];
  const args = [...makeNpmArguments(plan, place), ...quiet];
  await run("npm", args, place, options, {}, "npm comes with Node: install Node from nodejs.org, then try again.");
  if (plan.program === null) return null;
  const name = plan.program ?? (await findOnlyProgram(place, plan.packages[0]));
  return await checkProgram(join(place, "node_modules/.bin", name), plan.packages.join(" and "));
}

/** The name of the program of a package that has one, or of the one that is called like the package. */
async function findOnlyProgram(place: string, versioned: string): Promise<string> {
  const name = readPackageName(versioned);
  const text = await readFile(join(place, "node_modules", name, "package.json"), "utf8");
  const { bin } = JSON.parse(text) as { bin?: Json };
  const own = name.split("/").at(-1) ?? name;
  if (typeof bin === "string") return own;
  const names = isJsonObject(bin) ? Object.keys(bin) : [];
  const [first] = names;
  if (first === undefined) throw new Error(`The package ${name} has no program.`);
  return names.includes(own) ? own : first;
}

async function bringPythonPackage(plan: UvPlan, place: string, options: InstallOptions): Promise<string> {
  const folders = { UV_TOOL_DIR: join(place, "tools"), UV_TOOL_BIN_DIR: join(place, "bin"), UV_NO_PROGRESS: "1" };
  const missing = "It is a Python program, which needs uv: see docs.astral.sh/uv, then try again.";
  await run("uv", ["tool", "install", plan.package], place, options, folders, missing);
  const name = plan.program ?? plan.package.replace(/[=<>~![ ].*$/, "");
  return await checkProgram(join(place, "bin", name), plan.package);
}

async function bringArchive(plan: ArchivePlan, place: string, options: InstallOptions): Promise<string> {
  const name = basename(new URL(plan.url).pathname);
  const file = join(place, name === "" ? "download" : name);
  await download(plan.url, file, options);
  const sum = await computeSha256(file);
  if (plan.sha256 !== undefined && sum !== plan.sha256.toLowerCase()) {
    throw new Error(`${plan.url} has the checksum ${sum}, not ${plan.sha256} as published. Nothing was installed.`);
  }
  options.onOutput(`sha256 ${sum}${plan.sha256 === undefined ? "" : ", as published"}\n`);
  const files = join(place, "files");
  await mkdir(files);
  const isZip = name.endsWith(".zip");
  const isTar = /\.(tar(\.\w+)?|t[gb]z2?|txz)$/.test(name);
  if (isZip) await unpack(["unzip", "-q", file, "-d", files], files, plan.url, options);
  else if (isTar) await unpack(["tar", ...plainTar, "-xf", file, "-C", files], files, plan.url, options);
  else await rename(file, join(files, basename(plan.program)));
  await rm(file, { force: true });
  const program = await checkProgram(resolve(files, plan.program), plan.url);
  // A link in the archive may lead anywhere.
  if (!(await realpath(program)).startsWith((await realpath(files)) + sep))
    throw new Error(`${plan.program} is outside of what was downloaded.`);
  await chmod(program, 0o755);
  return program;
}

/** Runs a program that unpacks into the folder, and ends it when what it has written is too large. */
async function unpack(
  [program, ...args]: readonly [string, ...string[]],
  folder: string,
  url: string,
  options: InstallOptions,
): Promise<void> {
  const { maxUnpackedBytes = usualMaxUnpackedBytes } = options;
  const tooLarge = new AbortController();
  const check = async () => {
    const { bytes, files } = await measureFolder(folder);
    if (bytes <= maxUnpackedBytes && files <= maxUnpackedFiles) return;
    const limit = `${Math.round(maxUnpackedBytes / 1024 ** 2)} MB or ${maxUnpackedFiles} files`;
    tooLarge.abort(new Error(`${url} unpacks to more than ${limit}. Nothing was installed.`));
  };
  const timer = setInterval(() => void check().catch(() => {}), measureEveryMs);
  try {
    const signal = AbortSignal.any([options.signal, tooLarge.signal]);
    await run(program, args, dirname(folder), { ...options, signal }, {}, `Install ${program}, then try again.`);
  } finally {
    clearInterval(timer);
  }
  await check();
  tooLarge.signal.throwIfAborted();
}

const measureEveryMs = 250;

async function measureFolder(folder: string): Promise<{ readonly bytes: number; readonly files: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      // It may be renamed meanwhile.
      .map(async ({ parentPath, name }) => (await lstat(join(parentPath, name)).catch(() => null))?.size ?? 0),
  );
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), files: entries.length };
}

async function download(url: string, file: string, { signal, onBytes }: InstallOptions): Promise<void> {
  const answer = await fetch(url, { signal });
  if (!answer.ok || answer.body === null) throw new Error(`${url} answered ${answer.status} ${answer.statusText}.`);
  if (new URL(url).protocol === "https:" && new URL(answer.url).protocol !== "https:")
    throw new Error(`${url} leads to ${answer.url}, which is not encrypted.`);
  const total = Number(answer.headers.get("content-length") ?? Number.NaN);
  let done = 0;
  const counted = new Transform({
    transform(bytes: Buffer, _encoding, next) {
      done += bytes.length;
      onBytes(done, Number.isNaN(total) ? undefined : total);
      next(done > maxArchiveBytes ? new Error(`${url} is larger than 2 GB.`) : null, bytes);
    },
  });
  await pipeline(Readable.fromWeb(answer.body), counted, createWriteStream(file, { mode: 0o600 }), { signal });
}

async function computeSha256(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

async function checkProgram(program: string, from: string): Promise<string> {
  const found = await stat(program).catch(() => null);
  if (found?.isFile() === true) return program;
  throw new Error(`${from} was installed, but has no program ${basename(program)}.`);
}

/** Runs a program, and ends it with everything it started when the installation is cancelled. */
async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  { ledger, secrets, signal, onOutput }: InstallOptions,
  env: Readonly<Record<string, string>>,
  missing: string,
): Promise<void> {
  // The one beside our Node first: the one on the PATH may be older than what agents need.
  const places = listProgramPlaces(process.env);
  const found = findProgram({ command, args }, { ...places, folders: [dirname(places.node), ...places.folders] });
  if (found === null) throw new Error(`${command} was not found. ${missing}`);
  signal.throwIfAborted();
  const path = [dirname(places.node), process.env.PATH ?? ""].join(":");
  const tool = { ...found, env: { ...env, PATH: path }, userEnv: { without: secrets } };
  const onLine = (line: Buffer): undefined => {
    onOutput(`${line.toString()}\n`);
  };
  const running = new AgentProcess(tool, cwd, onLine, { ledger, onOutput });
  const cancel = () => running.kill();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const exit = await running.exited;
    signal.throwIfAborted();
    if (exit.what !== describeExit(0, null))
      throw new Error(`${command} ${exit.what}.\n${describeOutput(exit)}`.trim());
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

/** In one sentence, for a person. */
export function explainFailure(label: string, error: unknown): string {
  return `${label} could not be installed: ${messageOf(error)}`;
}
