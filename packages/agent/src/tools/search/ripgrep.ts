// Runs ripgrep in the sandbox, like every command: a search does not find what tools may not read.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { endingLine, ToolFailure } from "@signalbox/agent-kit";
import type { Workspace } from "../workspace.ts";

/** For every search: no config of the user, .gitignore respected everywhere, hidden files searched, .git not searched. */
const common = ["--no-config", "--no-messages", "--no-require-git", "--hidden", "--glob=!.git", "--color=never"];

interface Search {
  readonly args: readonly string[];
  /** Also search what .gitignore and the like leave out. */
  readonly ignored: boolean;
  /** A file or folder, relative to the session's folder or absolute. */
  readonly path: string;
  readonly signal: AbortSignal;
  /** Called with every piece of the output. False ends the search. */
  readonly onOutput: (text: string) => boolean;
}

export async function ripgrep(workspace: Workspace, search: Search): Promise<void> {
  const enough = new AbortController();
  let errorText = "";
  const end = await workspace.runProgram({
    command: [
      ripgrepPath(),
      ...common,
      ...(search.ignored ? ["--no-ignore"] : []),
      ...search.args,
      "--",
      resolvePlace(workspace, search.path),
    ],
    cwd: workspace.cwd,
    onlyLooks: true,
    signal: AbortSignal.any([search.signal, enough.signal]),
    onOutput: (text) => {
      if (errorText.length < 2000) errorText += text.slice(0, 2000);
      if (!enough.signal.aborted && !search.onOutput(text)) enough.abort();
    },
  });
  search.signal.throwIfAborted();
  switch (end.ended) {
    case "cancelled":
      return;
    case "exit":
      // 1: nothing was found. 2: a bad pattern, or some file could not be searched.
      if (end.exitCode === 2 && /^(?:rg: |regex parse error|error: )/.test(errorText)) {
        throw new ToolFailure(`The search did not run: ${errorText.trim()}`);
      }
      return;
    default:
      throw new ToolFailure(`The search could not run. ${endingLine(end)}`);
  }
}

/** As written, so that results begin with the same path. Only ~ and file: are resolved. */
function resolvePlace({ files }: Workspace, path: string): string {
  return /^(?:~|file:)/.test(path) ? files.absolute(path) : path;
}

const ripgrepPackage = "@vscode/ripgrep";

let known: string | undefined;

/** The binary of @vscode/ripgrep in the packages of this checkout, and of no folder above it; else the system's own. */
function ripgrepPath(): string {
  known ??= findRipgrep();
  return known;
}

function findRipgrep(): string {
  const here = import.meta.dirname;
  const checkout = here.slice(0, here.lastIndexOf("/packages/"));
  const binary = join(checkout, "node_modules", `${ripgrepPackage}-${process.platform}-${process.arch}/bin/rg`);
  return existsSync(binary) ? binary : "rg";
}
