import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { loadInstructions } from "@signalbox/agent-kit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadSkills } from "./load-skills.ts";

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "signalbox-skills-"));
});
afterEach(() => rmSync(base, { recursive: true }));

function put(path: string, text: string): string {
  const whole = join(base, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, text);
  return whole;
}

const places = () => ({ cwd: join(base, "project"), home: join(base, "home"), userHome: join(base, "user") });
const load = () => loadSkills(places());
const skill = (name: string, more = "", body = "Do it.") =>
  `---\nname: ${name}\ndescription: How to ${name}\n${more}---\n\n${body}\n`;

/** Each line names the one before ten times. */
const aliasBomb = Array.from("bcdefghi")
  .map((name, index) => `${name}: &${name} [${`*${"abcdefgh"[index]}, `.repeat(10)}]`)
  .join("\n");

describe("skills", () => {
  it("have frontmatter in YAML", async () => {
    const more = "version: 1.5\ntags: [a, 'b, c']\n# comment\nmcpServers:\n  a: { command: x, args: ['#1'] }\n";
    put("home/skills/a/SKILL.md", `---\nname: "a"\n${more}description: >-\n  Two lines:\n  one text\n---\nBody`);
    expect((await load()).skills).toMatchObject([
      { name: "a", description: "Two lines: one text", mcpServers: { a: { command: "x", args: ["#1"] } } },
    ]);
  });

  it("are found in the project and in the home, with their servers, and read when needed", async () => {
    const mcp = "mcpServers:\n  tracker:\n    command: npx\n    args: [-y, tracker]\n";
    put("project/.signalbox/skills/release/SKILL.md", skill("release", mcp, "1. Tag\n2. Push"));
    put("home/skills/review/SKILL.md", skill("review"));
    const { skills, problems } = await load();
    expect(problems).toEqual([]);
    expect(skills).toMatchObject([
      {
        name: "release",
        description: "How to release",
        origin: "project",
        mcpServers: { tracker: { command: "npx", args: ["-y", "tracker"] } },
      },
      { name: "review", origin: "user", mcpServers: undefined },
    ]);
    const folder = join(base, "project/.signalbox/skills/release");
    expect(await skills[0]?.read()).toBe(`1. Tag\n2. Push\n\n(The files of this skill are in ${folder}.)`);
  });

  it("of the project win over those of the user", async () => {
    put("project/.signalbox/skills/a/SKILL.md", skill("same", "", "of the project"));
    put("home/skills/b/SKILL.md", skill("same", "", "of the user"));
    const { skills, problems } = await load();
    expect(skills).toMatchObject([{ name: "same", origin: "project" }]);
    expect(problems).toEqual([]);
  });

  it("with the same name in one place are a problem", async () => {
    put("home/skills/a/SKILL.md", skill("same"));
    put("home/skills/b/SKILL.md", skill("same"));
    expect((await load()).problems).toEqual([expect.stringContaining("a second skill with the name same")]);
  });

  it.each([
    ["no frontmatter", "Just text", "does not begin with frontmatter"],
    ["frontmatter without end", "---\nname: x\n", "has no end"],
    ["no name", "---\ndescription: x\n---\n", "must be one word"],
    ["a name of two words", "---\nname: two words\ndescription: x\n---\n", "must be one word"],
    ["a name that leads elsewhere", "---\nname: ../x\ndescription: x\n---\n", "must be one word"],
    ["no description", "---\nname: x\n---\n", "no description"],
    ["bad YAML", "---\nname: x\ndescription: [\n---\n", "line [34]: "],
    ["a name twice", "---\nname: x\nname: y\n---\n", "line 3: Map keys must be unique"],
    ["aliases without end", `---\na: &a [1]\n${aliasBomb}\n---\n`, "Excessive alias count"],
    ["YAML without end", `---\n${"a: x\n".repeat(2000)}---\n`, "longer than 8000 characters"],
    ["deep YAML", `---\nname: ${"[".repeat(7000)}\n---\n`, "line 2: "],
    ["too much text", skill("x", "", "y".repeat(300_000)), "bigger than 200 KB"],
  ])("with %s are reported and skipped", async (_what, text, words) => {
    const path = put("home/skills/bad/SKILL.md", text);
    put("home/skills/good/SKILL.md", skill("good"));
    const { skills, problems } = await load();
    expect(skills).toMatchObject([{ name: "good" }]);
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^${path} is not used: .*${words}`))]);
  });

  it("are not made of files elsewhere", async () => {
    const secret = put("elsewhere/secret.md", skill("secret"));
    mkdirSync(join(base, "project/.signalbox/skills/bad"), { recursive: true });
    symlinkSync(secret, join(base, "project/.signalbox/skills/bad/SKILL.md"));
    symlinkSync(join(base, "elsewhere"), join(base, "project/.signalbox/skills/worse"));
    expect(await load()).toEqual({ skills: [], problems: [expect.stringContaining("a link to somewhere else")] });
  });

  it("may be missing, and other files may lie beside them", async () => {
    expect(await load()).toEqual({ skills: [], problems: [] });
    put("home/skills/README.md", "about");
    put("home/skills/empty/notes.txt", "");
    put("home/skills/.hidden/SKILL.md", "");
    expect(await load()).toEqual({ skills: [], problems: [] });
  });
});

describe("skills of other tools", () => {
  it("are used too, ours first; what is wrong with them is not our business", async () => {
    put("project/.claude/skills/review/SKILL.md", skill("review", "", "Claude's"));
    put("project/.agents/skills/review/SKILL.md", skill("review", "", "of .agents"));
    put("user/.claude/skills/deploy/SKILL.md", skill("deploy"));
    put("user/.claude/skills/bad/SKILL.md", "no frontmatter");
    const { skills, problems } = await load();
    expect(problems).toEqual([]);
    expect(skills).toMatchObject([
      { name: "review", origin: "project" },
      { name: "deploy", origin: "user" },
    ]);
    expect(await skills[0]?.read()).toContain("of .agents");
  });
});

describe("AGENTS.md", () => {
  const instructions = (folder: string) => loadInstructions({ cwd: join(base, folder), home: join(base, "home") });

  it("of Signalbox's own folder comes first; CLAUDE.md counts too, unless it only repeats or names the other", async () => {
    put("home/AGENTS.md", "Mine.");
    put("repo/.git/HEAD", "");
    put("repo/AGENTS.md", "Theirs.");
    put("repo/CLAUDE.md", "For Claude.");
    put("repo/a/AGENTS.md", "Same.");
    put("repo/a/CLAUDE.md", "Same.\n");
    put("repo/a/b/AGENTS.md", "Named.");
    put("repo/a/b/CLAUDE.md", "@AGENTS.md\n");
    const { paths } = await instructions("repo/a/b");
    expect(paths.map((path) => path.slice(base.length + 1))).toEqual([
      "home/AGENTS.md",
      "repo/AGENTS.md",
      "repo/CLAUDE.md",
      "repo/a/AGENTS.md",
      "repo/a/b/AGENTS.md",
    ]);
  });

  it("of a folder below is given once, when a file there is used", async () => {
    put("repo/web/AGENTS.md", "Web.");
    put("repo/web/src/AGENTS.md", "Source.");
    const { below } = await instructions("repo");
    expect(await below([join(base, "repo/top.ts"), join(base, "other/x.ts")])).toBe("");
    const text = await below([join(base, "repo/web/src/a.ts")]);
    expect(text.indexOf("Web.")).toBeLessThan(text.indexOf("Source."));
    expect(text).toContain("Web.");
    expect(await below([join(base, "repo/web/src/b.ts")])).toBe("");
  });

  it("is taken from the repository's root down to the folder, the nearest last", async () => {
    mkdirSync(join(base, "repo/.git"), { recursive: true });
    const outer = put("repo/AGENTS.md", "Use tabs.\n");
    const inner = put("repo/packages/a/AGENTS.md", "Use spaces.");
    put("AGENTS.md", "Not of this repository.");
    expect(await instructions("repo/packages/a")).toMatchObject({
      text: `# From ${outer}\n\nUse tabs.\n\n# From ${inner}\n\nUse spaces.`,
      paths: [outer, inner],
    });
  });

  it("is only that of the folder where there is no repository", async () => {
    put("AGENTS.md", "Above.");
    const path = put("plain/AGENTS.md", "Here.");
    expect((await instructions("plain")).paths).toEqual([path]);
  });

  it("may be missing, or empty", async () => {
    put("empty/AGENTS.md", " \n");
    expect(await instructions("empty")).toMatchObject({ text: "", paths: [] });
    expect(await instructions("none")).toMatchObject({ text: "", paths: [] });
  });

  it("is truncated where it is too long, and may be a link inside the repository but not out of it", async () => {
    mkdirSync(join(base, "repo/.git"), { recursive: true });
    put("repo/LONG.md", "x".repeat(60_000));
    symlinkSync("LONG.md", join(base, "repo/AGENTS.md"));
    const { text } = await instructions("repo");
    expect(text.length).toBeLessThan(51_000);
    expect(text).toContain("is left out: it is too long");
    put("secret.md", "secret");
    mkdirSync(join(base, "other/.git"), { recursive: true });
    symlinkSync("../secret.md", join(base, "other/AGENTS.md"));
    expect(await instructions("other")).toMatchObject({ text: "", paths: [] });
  });
});
