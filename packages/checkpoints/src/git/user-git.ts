// Runs git as the user's own command would: with their environment, settings, hooks and signing. Only for what a person asked for by name.
import { killGroup, spawnWithPipes } from "@signalbox/sandbox";
import { findGit, GitError } from "../changes/git-process.ts";

interface UserGitResult {
  readonly code: number | null;
  /** The end of what git and its hooks printed. */
  readonly output: string;
}

/** Hooks may run a project's tests. */
const maxMs = 10 * 60_000;
const maxOutput = 64 * 1024;

/** Gives the exit code, also of a failure; null when it took too long and was ended. */
export async function runUserGit(folder: string, args: readonly string[], input = ""): Promise<UserGitResult> {
  const command = findGit();
  if (command === null) throw new GitError("git is not installed");
  // In a group of its own, so that a hook that hangs is ended with what it started.
  const child = spawnWithPipes(command, args, { cwd: folder, env: makeEnvironment(), stdio: "pipe", detached: true });
  let output = "";
  const onData = (bytes: Buffer) => {
    output = (output + bytes.toString("utf8")).slice(-maxOutput);
  };
  child.stdout.on("data", onData);
  child.stderr.on("data", onData);
  child.stdin.on("error", () => {}); // its exit says more
  child.stdin.end(input);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    killGroup(child.pid);
  }, maxMs);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", (error) => reject(new GitError(`git cannot be started: ${error.message}`)));
    child.on("close", resolve);
  }).finally(() => clearTimeout(timer));
  return { code: isLate ? null : code, output: isLate ? `${output}\n[ended after ${maxMs / 60_000} minutes]` : output };
}

/** No one is there to answer a prompt; and variables of a git command that started Signalbox are not about this repository. */
function makeEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(GIT_(?!AUTHOR_|COMMITTER_|SSH)|SIGNALBOX_)/.test(name),
  );
  return { ...Object.fromEntries(own), GIT_TERMINAL_PROMPT: "0", GIT_EDITOR: "true", GIT_MERGE_AUTOEDIT: "no" };
}
