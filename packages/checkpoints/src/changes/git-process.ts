// Runs git without anything that a repository could make it run: no hooks, no filters, no file system monitor, no transport, no config but
// the repository's own. Nothing is ever written into a repository of the user's.
import { homedir } from "node:os";
import { findExecutable, spawnWithPipes } from "@signalbox/sandbox";

/** Git ended with an error, took too long, or cannot be started. */
export class GitError extends Error {
  override readonly name = "GitError";
}

interface GitCall {
  /** The repository; without it, the one of `cwd`. */
  readonly gitDir?: string;
  readonly workTree?: string;
  readonly index?: string;
  readonly cwd?: string;
  readonly settings?: GitSettings;
  readonly input?: string | Uint8Array | readonly Uint8Array[];
  readonly timeoutMs?: number;
  readonly maxOutputBytes?: number;
  /** Exit codes that are answers, not errors. */
  readonly codes?: readonly number[];
  /** Without it, paths that are arguments may have wildcards. */
  readonly isLiteral?: boolean;
}

/** How the settings of one call differ from those that every call has. */
interface GitSettings {
  readonly added?: Readonly<Record<string, string>>;
  /** Settings whose names a repository chose. They are passed in variables, so that no character of a name has a meaning. */
  readonly exact?: readonly (readonly [name: string, value: string])[];
  /** Settings of every call that would hide the user's own. */
  readonly without?: readonly string[];
  /** Whether git reads the user's own settings too. */
  readonly withUserConfig?: boolean;
}

const defaultTimeoutMs = 60_000;
/** A list of a million files has less. */
const defaultMaxOutputBytes = 256 * 1024 * 1024;

const settings: Readonly<Record<string, string>> = {
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "core.untrackedCache": "false",
  "core.splitIndex": "false",
  "core.sparseCheckout": "false",
  "core.autocrlf": "false",
  "core.safecrlf": "false",
  "core.fileMode": "true",
  "core.symlinks": "true",
  "core.precomposeUnicode": "false",
  // Names that only another system could misread are names here.
  "core.protectNTFS": "false",
  "core.protectHFS": "false",
  "core.looseCompression": "1",
  "core.alternateRefsCommand": "true",
  "gc.auto": "0",
  // We run nothing that a repository of another user could name.
  "safe.directory": "*",
};

let program: string | null | undefined;

/** The git of this machine; null when there is none. Never one of the folder that an agent works in. */
export function findGit(): string | null {
  program ??= findExecutable("git", process.env);
  return program;
}

/** Gives stdout. Throws a GitError with what git printed. */
export async function git(args: readonly string[], call: GitCall): Promise<Buffer> {
  const command = findGit();
  if (command === null) throw new GitError("git is not installed");
  const { cwd = "/", codes = [0] } = call;
  const { added = {}, without = [] } = call.settings ?? {};
  const { timeoutMs = defaultTimeoutMs, maxOutputBytes = defaultMaxOutputBytes } = call;
  const options = Object.entries({ ...settings, ...added })
    .filter(([name]) => !without.includes(name))
    .flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = spawnWithPipes(command, [...options, ...args], { cwd, env: makeEnvironment(call), stdio: "pipe" });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, timeoutMs);
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  let size = 0;
  const collectBytes = (list: Buffer[]) => (bytes: Buffer) => {
    size += bytes.length;
    if (size <= maxOutputBytes) list.push(bytes);
    else child.kill("SIGKILL");
  };
  child.stdout.on("data", collectBytes(output));
  child.stderr.on("data", collectBytes(errors));
  child.stdin.on("error", () => {}); // its exit says more
  for (const piece of toPieces(call.input)) child.stdin.write(piece);
  child.stdin.end();
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", (error) => reject(new GitError(`git cannot be started: ${error.message}`)));
    child.on("close", resolve);
  }).finally(() => clearTimeout(timer));
  if (size > maxOutputBytes) throw new GitError(`git ${args[0]} printed more than ${maxOutputBytes} bytes`);
  if (code !== null && codes.includes(code)) return Buffer.concat(output);
  if (isLate) throw new GitError(`git ${args[0]} took longer than ${timeoutMs / 1000} s`);
  if (code === null) throw new GitError(`git ${args[0]} was ended by ${child.signalCode}`);
  throw new GitError(
    `git ${args[0]}: ${Buffer.concat(errors).toString().trim().slice(0, 1000) || `exit code ${code}`}`,
  );
}

/** The parts of an output that each end with a zero byte. */
export function splitAtZeros(output: Buffer): string[] {
  const parts = output.toString("latin1").split("\0");
  parts.pop();
  return parts;
}

function toPieces(input: GitCall["input"]): readonly (string | Uint8Array)[] {
  if (input === undefined) return [];
  return typeof input === "string" || input instanceof Uint8Array ? [input] : input;
}

function makeEnvironment({
  gitDir,
  workTree,
  index,
  isLiteral = true,
  settings: { withUserConfig = false, exact = [] } = {},
}: GitCall): NodeJS.ProcessEnv {
  const { PATH, XDG_CONFIG_HOME } = process.env;
  return {
    PATH,
    LC_ALL: "C",
    HOME: homedir(),
    ...(withUserConfig ? { XDG_CONFIG_HOME } : { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" }),
    GIT_ATTR_NOSYSTEM: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    // A repository with a promised object would fetch it, by a program that its config names.
    GIT_ALLOW_PROTOCOL: "none",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    ...(isLiteral ? { GIT_LITERAL_PATHSPECS: "1" } : {}),
    ...(gitDir === undefined ? {} : { GIT_DIR: gitDir }),
    ...(workTree === undefined ? {} : { GIT_WORK_TREE: workTree }),
    ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
    ...makeConfigVariables(exact),
  };
}

function makeConfigVariables(exact: NonNullable<GitSettings["exact"]>): NodeJS.ProcessEnv {
  if (exact.length === 0) return {};
  const pairs = exact.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(exact.length), ...Object.fromEntries(pairs) };
}
