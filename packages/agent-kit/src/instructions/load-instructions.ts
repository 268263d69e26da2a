// Loads the instructions for agents: AGENTS.md and CLAUDE.md. Authority comes from the origin of a text. The user's own folder speaks for the user, and
// the files that the session's repository tracked when the session began speak for the project. A dependency, a nested repository, an ignored folder
// and a file that was written since speak for nobody: their text is data.
import { realpath } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { readPlainFile } from "@signalbox/sandbox";
import { findRepository, listTrackedFiles, openTrackedFiles, type TrackedFile } from "./tracked-files.ts";

export interface Instructions {
  /** Those of the user's own folder; empty where there are none. */
  readonly user: string;
  /** Those of the project, as it was when the session began. The nearest file comes last, so that it overrides the others. */
  readonly project: string;
  readonly paths: readonly string[];
  /** To be stored with the session, and given back when it is resumed. */
  readonly beginning: ProjectOrigin;
  /** Says of files that look like instructions why they are not used as they are, one sentence each. */
  readonly notes: readonly string[];
  /** The project's instructions in folders below the session's, on the way to these files; each only once. Empty where there is nothing new. */
  readonly below: (files: readonly string[]) => Promise<string>;
  /** Everything that `below` has returned, for a conversation that was shortened. */
  readonly given: () => string;
}

interface InstructionPlaces {
  readonly cwd: string;
  /** Signalbox's own folder. */
  readonly home: string;
  /** Of a session that is resumed: only the files that counted when it began count now. */
  readonly beginning?: ProjectOrigin | undefined;
}

interface InstructionFile {
  readonly path: string;
  readonly text: string;
}

/** The files that had authority when the session began: those that git tracked, by their content, or those of a folder without a repository. Plain JSON. */
export type ProjectOrigin =
  | { readonly type: "repository"; readonly files: readonly TrackedFile[] }
  | { readonly type: "folder"; readonly files: readonly InstructionFile[] };

/** The project as it was when the session began. Folders are relative to the session's, which is the empty name. */
interface Project {
  /** From the top of the repository down to the session's folder. */
  readonly folders: readonly string[];
  readonly read: (folder: string, name: string) => Promise<InstructionFile | undefined>;
  readonly notes: readonly string[];
  readonly beginning: ProjectOrigin;
}

const fileNames = ["AGENTS.md", "CLAUDE.md"] as const;
/** Of one file. The rest is left out, with a note. */
const maxFileBytes = 50_000;

/** Call it when the session begins: later, the files may be the work of the session itself. So a session that is resumed needs its `beginning`. */
export async function loadInstructions(places: InstructionPlaces): Promise<Instructions> {
  const { cwd, home } = places;
  const [user, project] = await Promise.all([
    readBothNames((name) => readFromDisk(join(home, name), home)),
    openProject(places),
  ]);
  const readFolders = async (folders: readonly string[]): Promise<readonly InstructionFile[]> =>
    (await Promise.all(folders.map((folder) => readBothNames((name) => project.read(folder, name))))).flat();
  const found = await readFolders(project.folders);
  const visited = new Set<string>();
  const given: InstructionFile[] = [];
  return {
    user: joinFiles(user),
    project: joinFiles(found),
    paths: [...user, ...found].map(({ path }) => path),
    beginning: project.beginning,
    notes: project.notes,
    below: async (files) => {
      const folders = new Set(files.flatMap((file) => foldersBelow(cwd, file)));
      const unseen = [...folders].filter((folder) => !visited.has(folder));
      for (const folder of unseen) visited.add(folder);
      const news = await readFolders(unseen);
      given.push(...news);
      return joinFiles(news);
    },
    given: () => joinFiles(given),
  };
}

async function openProject({ cwd, home, beginning }: InstructionPlaces): Promise<Project> {
  if (beginning?.type === "folder") return openPlainFolder(cwd, beginning);
  if (beginning !== undefined || findRepository(cwd) !== undefined) return await openRepository(cwd, home, beginning);
  const files = await Promise.all(fileNames.map((name) => readFromDisk(join(cwd, name), cwd)));
  return openPlainFolder(cwd, { type: "folder", files: files.filter((file) => file !== undefined) });
}

/** The person chose this folder, so its own files count, as they were when the session began. Files below it may have come from anywhere. */
function openPlainFolder(cwd: string, beginning: ProjectOrigin & { readonly type: "folder" }): Project {
  return {
    folders: [""],
    read: async (folder, name) => beginning.files.find((file) => file.path === join(cwd, folder, name)),
    notes: [],
    beginning,
  };
}

async function openRepository(cwd: string, home: string, beginning: ProjectOrigin | undefined): Promise<Project> {
  const place = { folder: cwd, home };
  const onDisk = await Promise.all(fileNames.map((name) => readFromDisk(join(cwd, name), cwd)));
  const known =
    beginning?.type === "repository"
      ? beginning.files
      : await listTrackedFiles(place, fileNames).catch(() => undefined);
  const files = known ?? [];
  const readTracked = await openTrackedFiles(place, files);
  const read: Project["read"] = async (folder, name) => {
    const bytes = await readTracked(folder === "" ? name : `${folder}/${name}`);
    return bytes && makeFile(join(cwd, folder, name), bytes.subarray(0, maxFileBytes), bytes.length <= maxFileBytes);
  };
  const above = files.map(({ path }) => dirname(path)).filter((folder) => /^(?:\.\.\/?)+$/.test(folder));
  const folders = [...new Set(["", ...above])].toSorted((one, other) => other.length - one.length);
  const now = await Promise.all(fileNames.map((name) => read("", name)));
  const remedy =
    beginning === undefined
      ? "Add it with `git add`, and begin a new session."
      : "A new session uses what git tracks now.";
  const notes = onDisk.flatMap((file, index) => {
    const why = file === undefined ? undefined : compareWithDisk(file, now[index], known !== undefined);
    return why === undefined ? [] : [`${file?.path}: ${why} ${remedy}`];
  });
  return { folders, read, notes, beginning: { type: "repository", files } };
}

/** Says why the person's file, or their last change to it, has no effect. */
function compareWithDisk(
  file: InstructionFile,
  tracked: InstructionFile | undefined,
  isKnown: boolean,
): string | undefined {
  if (!isKnown) return "not used as instructions, because git could not say which files it tracks here.";
  if (tracked === undefined) return "not used as instructions, because git did not track it when the session began.";
  const isSame = tracked.text.replaceAll("\r\n", "\n") === file.text.replaceAll("\r\n", "\n");
  return isSame
    ? undefined
    : "its last changes are not used as instructions, because git did not track them when the session began.";
}

function joinFiles(files: readonly InstructionFile[]): string {
  return files.map(({ path, text }) => `# From ${path}\n\n${text}`).join("\n\n");
}

/** The folders between the session's folder and the file, from top to bottom. */
function foldersBelow(cwd: string, file: string): readonly string[] {
  const names = relative(cwd, file).split(sep).slice(0, -1);
  if (names[0] === ".." || names[0] === "") return [];
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

/** Both names, unless one only repeats or names the other. */
async function readBothNames(
  read: (name: string) => Promise<InstructionFile | undefined>,
): Promise<readonly InstructionFile[]> {
  const [agents, claude] = await Promise.all(fileNames.map(read));
  const isSame = claude !== undefined && agents !== undefined && ["@AGENTS.md", agents.text].includes(claude.text);
  return [agents, isSame ? undefined : claude].filter((file) => file !== undefined);
}

async function readFromDisk(path: string, root: string): Promise<InstructionFile | undefined> {
  try {
    // A link to a file elsewhere must not bring that file into the prompt.
    const [real, realRoot] = await Promise.all([realpath(path), realpath(root)]);
    if (!real.startsWith(realRoot === sep ? sep : realRoot + sep)) return undefined;
    const { bytes, isWhole } = readPlainFile(real, maxFileBytes);
    return makeFile(path, bytes, isWhole);
  } catch {
    return undefined; // none there, or none that can be read
  }
}

function makeFile(path: string, bytes: Buffer, isWhole: boolean): InstructionFile | undefined {
  const text = bytes.toString("utf8").trim();
  if (text === "") return undefined;
  return { path, text: isWhole ? text : `${text}\n[the rest of ${path} is left out: it is too long]` };
}
