// Declares a skill: a folder with a SKILL.md that says when to use it and how.

export interface Skill {
  readonly name: string;
  readonly description: string;
  /** The folder of SKILL.md; the files it mentions are below. */
  readonly folder: string;
  readonly origin: "user" | "project";
  /** Its MCP servers in the usual shape (name → command/args/env or url). Not checked yet. */
  readonly mcpServers: unknown;
  /** The instructions below the frontmatter, with the folder named. */
  readonly read: () => Promise<string>;
}

/** The skills, and for each that cannot be used a sentence that names the file. */
export interface Skills {
  readonly skills: readonly Skill[];
  readonly problems: readonly string[];
}
