// Loads what the user wrote for agents: AGENTS.md and CLAUDE.md of Signalbox's own folder, of the repository down to the session's folder, and,
// when work goes there, of the folders below.
import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { readPlainFile } from "@signalbox/sandbox";

interface Instructions {
  /** For the system prompt; empty where there is none. The nearest file comes last, so that it overrides the others. */
  readonly text: string;
  readonly paths: readonly string[];
  /** Those of folders below the session's, on the way to these files; each only once. Empty where there is nothing new. */
  readonly below: (files: readonly string[]) => Promise<string>;
}

interface InstructionPlaces {
  readonly cwd: string;
  /** Signalbox's own folder. */
  readonly home: string;
}

interface InstructionFile {
  readonly path: string;
  readonly text: string;
}

const fileNames = ["AGENTS.md", "CLAUDE.md"] as const;
/** Of one file. The rest is left out, with a note. */
const maxFileBytes = 50_000;

export async function loadInstructions({ cwd, home }: InstructionPlaces): Promise<Instructions> {
  const folders = foldersUpToRoot(cwd);
  const root = folders[0] ?? cwd;
  const read = await Promise.all([
    readFolderInstructions(home, home),
    ...folders.map((folder) => readFolderInstructions(folder, root)),
  ]);
  const found = read.flat();
  const visited = new Set<string>();
  return {
    text: describe(found),
    paths: found.map(({ path }) => path),
    below: async (files) => {
      const unseen = [...new Set(files.flatMap((file) => foldersBelow(cwd, file)))].filter(
        (folder) => !visited.has(folder),
      );
      for (const folder of unseen) visited.add(folder);
      return describe((await Promise.all(unseen.map((folder) => readFolderInstructions(folder, cwd)))).flat());
    },
  };
}

function describe(files: readonly InstructionFile[]): string {
  return files.map(({ path, text }) => `# From ${path}\n\n${text}`).join("\n\n");
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

/** The folders between the session's folder and the file, from top to bottom. */
function foldersBelow(cwd: string, file: string): readonly string[] {
  const names = relative(cwd, file).split(sep).slice(0, -1);
  if (names[0] === ".." || names[0] === "") return [];
  return names.map((_, index) => join(cwd, ...names.slice(0, index + 1)));
}

/** Both names, unless one only repeats or names the other. */
async function readFolderInstructions(folder: string, root: string): Promise<readonly InstructionFile[]> {
  const [agents, claude] = await Promise.all(fileNames.map((name) => readInstructions(join(folder, name), root)));
  const isSame = claude !== undefined && agents !== undefined && ["@AGENTS.md", agents.text].includes(claude.text);
  return [agents, isSame ? undefined : claude].filter((file) => file !== undefined);
}

async function readInstructions(path: string, root: string): Promise<InstructionFile | undefined> {
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
