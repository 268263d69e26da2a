// Loads the skills of the project and of the user. Of two with the same name the project's is used.
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { listPlaces, type Place, type SessionPlaces } from "./places.ts";
import type { Skill, Skills } from "./skill.ts";
import { readTextFile } from "./text-file.ts";

const maxDescriptionLength = 1024;
const maxSkills = 100;
/** Skills are slash commands too, so a name is one word. */
const nameShape = /^[a-z0-9][a-z0-9_-]{0,63}$/i;

export async function loadSkills(session: SessionPlaces): Promise<Skills> {
  const { user, project } = listPlaces("skills", session);
  const found = await Promise.all([...project, ...user].map(readSkills));
  const skills = new Map<string, Skill>();
  const problems: string[] = [];
  for (const each of found.flat()) {
    if (typeof each === "string") problems.push(each);
    else if (!skills.has(each.name)) skills.set(each.name, each);
    else if (dirname(skills.get(each.name)?.folder ?? "") === dirname(each.folder))
      problems.push(`${each.folder} is a second skill with the name ${each.name} and is not used.`);
  }
  return { skills: [...skills.values()], problems };
}

/** Each skill, or a sentence that says what is wrong with it. */
async function readSkills({ folder: place, origin, isSignalboxFolder }: Place): Promise<readonly (Skill | string)[]> {
  let names: string[];
  try {
    names = (await readdir(place)).toSorted();
  } catch {
    return [];
  }
  const folders = names.filter((name) => !name.startsWith(".")).slice(0, maxSkills);
  const read = await Promise.all(folders.map((name) => readSkill(place, join(place, name), origin)));
  return read.filter((each) => each !== undefined).filter((each) => isSignalboxFolder || typeof each !== "string");
}

async function readSkill(place: string, folder: string, origin: Skill["origin"]): Promise<Skill | string | undefined> {
  const path = join(folder, "SKILL.md");
  try {
    const { fields } = await skillFile(place, path);
    const { name, description, mcpServers, mcp_servers } = fields;
    if (typeof name !== "string" || !nameShape.test(name)) {
      return `${path} is not used: its name must be one word of letters, digits, - and _.`;
    }
    if (typeof description !== "string" || description.trim() === "")
      return `${path} is not used: it has no description.`;
    return {
      name,
      description: description.replace(/\s+/g, " ").trim().slice(0, maxDescriptionLength),
      folder,
      origin,
      mcpServers: mcpServers ?? mcp_servers,
      read: async () => `${(await skillFile(place, path)).body}\n\n(The files of this skill are in ${folder}.)`,
    };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined; // a folder without SKILL.md is no skill
    return `${path} is not used: ${message}`;
  }
}

async function skillFile(place: string, path: string) {
  const text = await readTextFile(place, path);
  // Loaded for the first skill, with its YAML library.
  const { readFrontmatter } = await import("./frontmatter.ts");
  return readFrontmatter(text);
}
