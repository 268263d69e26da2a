// A skill: a folder with a SKILL.md that says when to use it and how.

export interface Skill {
  readonly name: string;
  readonly description: string;
  /** The folder of SKILL.md; what it mentions lies below. */
  readonly folder: string;
  readonly origin: "user" | "project";
  /** The MCP servers it brings, in the usual shape (name → command/args/env or url), not checked yet. */
  readonly mcpServers: unknown;
  /** The instructions below the frontmatter, with the folder named. */
  readonly read: () => Promise<string>;
}

/** What could be read, and what could not, each problem in one sentence that names the file. */
export interface Skills {
  readonly skills: readonly Skill[];
  readonly problems: readonly string[];
}
