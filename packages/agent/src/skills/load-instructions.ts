// Loads AGENTS.md for the system prompt, from the session's folder and the folders above it up to the repository's root.
import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { readPlainFile } from "@signalbox/sandbox";

interface Instructions {
  /** Empty where there is none. The nearest file comes last, so that it overrides the others. */
  readonly text: string;
  readonly paths: readonly string[];
}

/** Of one file. The rest is left out, with a note. */
const maxFileBytes = 50_000;

export async function loadInstructions(cwd: string): Promise<Instructions> {
  const folders = foldersUpToRoot(cwd);
  const root = folders[0] ?? cwd;
  const read = await Promise.all(folders.map((folder) => instructionsIn(folder, root)));
  const found = read.filter((each) => each !== undefined);
  return {
    text: found.map(({ path, text }) => `# From ${path}\n\n${text}`).join("\n\n"),
    paths: found.map(({ path }) => path),
  };
}

/** From the repository's root down to the folder; only the folder itself where there is no repository. */
function foldersUpToRoot(cwd: string): string[] {
  const folders = [cwd];
  for (let folder = cwd; !existsSync(join(folder, ".git")); ) {
    const parent = dirname(folder);
    if (parent === folder) return [cwd];
    folders.unshift(parent);
    folder = parent;
  }
  return folders;
}

async function instructionsIn(
  folder: string,
  root: string,
): Promise<{ readonly path: string; readonly text: string } | undefined> {
  const path = join(folder, "AGENTS.md");
  try {
    // A link to a file outside the repository must not bring that file into the prompt.
    const [real, realRoot] = await Promise.all([realpath(path), realpath(root)]);
    if (!real.startsWith(realRoot === sep ? sep : realRoot + sep)) return undefined;
    const { bytes, isWhole } = readPlainFile(real, maxFileBytes);
    const text = bytes.toString("utf8").trim();
    if (text === "") return undefined;
    return { path, text: isWhole ? text : `${text}\n[the rest of ${path} is left out: it is too long]` };
  } catch {
    return undefined; // none there, or none that can be read
  }
}
