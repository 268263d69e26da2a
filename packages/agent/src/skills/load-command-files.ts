// Finds the command files of the user and of the project. Of two with the same name the user's is used: a repository cannot put its own text behind
// a name that the user knows.
import { readdir } from "node:fs/promises";
import { join, sep } from "node:path";
import { cleanLine, cleanText } from "@signalbox/agent-kit";
import type { CommandFile } from "./command-file.ts";
import { fillArguments } from "./fill-arguments.ts";
import { listPlaces, type Place, type SessionPlaces } from "./places.ts";
import { maxTextFileBytes, readTextFile } from "./text-file.ts";

const maxDescriptionLength = 200;
/** Of one place. */
const maxFiles = 100;
const nameShape = /^[a-z0-9][\w.-]{0,63}$/i;

interface FoundFile {
  readonly commands: readonly CommandFile[];
  /** For each that cannot be used a sentence that names the file. */
  readonly problems: readonly string[];
}

export async function loadCommandFiles(session: SessionPlaces): Promise<FoundFile> {
  const { user, project } = listPlaces("commands", session);
  const found = await Promise.all([...user, ...project].map((place) => readCommands(place, session.cwd)));
  const commands = new Map<string, CommandFile>();
  for (const each of found.flat())
    if (typeof each !== "string" && !commands.has(each.name)) commands.set(each.name, each);
  return { commands: [...commands.values()], problems: found.flat().filter((each) => typeof each === "string") };
}

/** Those in the folder, and those one folder deeper, which have its name before theirs. */
async function readCommands(
  { folder: place, origin, isSignalboxFolder }: Place,
  cwd: string,
): Promise<readonly (CommandFile | string)[]> {
  const entries = await readdir(place, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory() && nameShape.test(entry.name)).slice(0, maxFiles);
  const below = await Promise.all(
    folders.map(async ({ name }) => {
      const files = await readdir(join(place, name)).catch(() => []);
      return files.map((file) => ({ path: join(place, name, file), prefix: `${name}:`, file }));
    }),
  );
  const direct = entries.filter((entry) => !entry.isDirectory());
  const files = [...direct.map(({ name: file }) => ({ path: join(place, file), prefix: "", file })), ...below.flat()]
    .filter(({ file }) => file.endsWith(".md") && nameShape.test(file.slice(0, -3)))
    .slice(0, maxFiles)
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const read = await Promise.all(
    files.map(({ path, prefix, file }) => describe({ place, path, name: prefix + file.slice(0, -3), origin, cwd })),
  );
  return read.filter((each) => isSignalboxFolder || typeof each !== "string");
}

interface CommandPlace extends Pick<CommandFile, "name" | "origin"> {
  readonly place: string;
  readonly path: string;
  readonly cwd: string;
}

/** The command, or a sentence that says what is wrong with it. */
async function describe({ place, path, name, origin, cwd }: CommandPlace): Promise<CommandFile | string> {
  try {
    const { fields, body } = await commandFile(place, path);
    const described = typeof fields.description === "string" ? fields.description : firstLine(body);
    const shown = cleanLine(described, maxDescriptionLength);
    const hint = fields["argument-hint"];
    return {
      name,
      description: origin === "project" ? `${shown} (of this project)` : shown,
      hint: typeof hint === "string" ? cleanLine(hint, maxDescriptionLength) : "",
      origin,
      read: async (words) => {
        const text = fillArguments(cleanText((await commandFile(place, path)).body, maxTextFileBytes), words);
        const from = path.startsWith(cwd + sep) ? path.slice(cwd.length + 1) : path;
        return `${text}\n\n(This is the text of /${name}, from ${from}.${notRun(text)})`;
      },
    };
  } catch (error) {
    return `${path} is not used: ${(error as Error).message}`;
  }
}

/** Other tools run commands that stand in such a file. A repository's text runs nothing here before the user's rules were asked. */
function notRun(text: string): string {
  return text.includes("!`")
    ? " Commands in it, written !`command`, were not run: run them yourself where you need what they print."
    : "";
}

function firstLine(body: string): string {
  return body.split("\n").find((line) => line.trim() !== "") ?? "";
}

async function commandFile(place: string, path: string) {
  const text = await readTextFile(place, path);
  if (text.trim() === "") throw new Error("it is empty");
  if (!/^\uFEFF?---\s*\n/.test(text)) return { fields: {} as Readonly<Record<string, unknown>>, body: text.trim() };
  // Loaded for the first file that needs it, with its YAML library.
  const { readFrontmatter } = await import("./frontmatter.ts");
  return readFrontmatter(text);
}
