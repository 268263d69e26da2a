// Asks git about the session's folder, for the system prompt: the branch, and how many files differ. Git runs in the sandbox, because a
// repository's config can name programs that git starts.
import type { Workspace } from "../tools/workspace.ts";

/** A repository that takes longer is described without it. */
const timeoutMs = 2000;
const maxOutput = 1_000_000;

const status = [
  "git",
  "-c",
  "core.fsmonitor=false",
  "--no-optional-locks",
  "status",
  "--porcelain=v2",
  "--branch",
  "--untracked-files=normal",
  "--ignore-submodules=all",
] as const;

/** One line; undefined where there is no repository, or no answer in time. */
export async function gitFacts({
  cwd,
  runProgram,
}: Pick<Workspace, "cwd" | "runProgram">): Promise<string | undefined> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), timeoutMs);
  let output = "";
  try {
    const ending = await runProgram({
      command: status,
      onlyLooks: true,
      cwd,
      signal: stop.signal,
      onOutput: (text) => {
        output += text;
        if (output.length > maxOutput) stop.abort();
      },
    });
    return ending.ended === "exit" && ending.exitCode === 0 ? describeStatus(output) : undefined;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

export function describeStatus(output: string): string {
  const lines = output.split("\n");
  const branch = lines.find((line) => line.startsWith("# branch.head "))?.slice("# branch.head ".length) ?? "unknown";
  const changed = lines.filter((line) => /^[12u] /.test(line)).length;
  const untracked = lines.filter((line) => line.startsWith("? ")).length;
  const state =
    changed + untracked === 0 ? "nothing changed" : `${files(changed)} changed, ${files(untracked)} not in git yet`;
  return `Git, when the session began: ${branch === "(detached)" ? "no branch" : `branch ${branch}`}, ${state}`;
}

function files(count: number): string {
  return count === 1 ? "1 file" : `${count} files`;
}
