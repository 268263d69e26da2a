import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
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
