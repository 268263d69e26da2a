import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { availableCommands, findCommand, helpText, readSlashWord } from "../sessions/commands.ts";
import { fillArguments } from "./fill-arguments.ts";
import { loadCommandFiles } from "./load-command-files.ts";

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "signalbox-commands-"));
});
afterEach(() => rmSync(base, { recursive: true }));

function put(path: string, text: string): string {
  const whole = join(base, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, text);
  return whole;
}

const load = () =>
  loadCommandFiles({ cwd: join(base, "project"), home: join(base, "home"), userHome: join(base, "user") });

it.each([
  ["Fix $ARGUMENTS now.", "issue 12", "Fix issue 12 now."],
  ["From $2 to $1, $3.", `"a b" 'c d'`, "From c d to a b, ."],
  // What is put in is not searched again, and `$12` is no place.
  ["$1 $12", "$ARGUMENTS", "$ARGUMENTS $12"],
  ["Review it.", " as a stranger ", "Review it.\n\nas a stranger"],
  ["Review it.", "", "Review it."],
  ["$ARGUMENTS_OLD costs $", "x", "$ARGUMENTS_OLD costs $\n\nx"],
])("puts arguments into %j: %j", (text, words, filled) => {
  expect(fillArguments(text, words)).toBe(filled);
});

it("are found in the user's folders and the project's, one folder deep, and read when they are called", async () => {
  put("home/commands/review.md", "---\ndescription: Review it\nargument-hint: what to look at\n---\nLook at $1.");
  put("project/.signalbox/commands/test.md", "\nRun the tests.\nAll of them.");
  const deep = put("project/.claude/commands/git/push.md", "Push to $1. First: !`git status`");
  put("project/.claude/commands/git/deeper/no.md", "Too deep.");
  put("project/.claude/commands/bad name.md", "No word.");
  put("user/.agents/commands/ship.md", "Ship.");
  const { commands, problems } = await load();
  expect(problems).toEqual([]);
  expect(commands.map(({ name, description, hint, origin }) => [name, description, hint, origin])).toEqual([
    ["review", "Review it", "what to look at", "user"],
    ["ship", "Ship.", "", "user"],
    ["test", "Run the tests. (of this project)", "", "project"],
    ["git:push", "Push to $1. First: !`git status` (of this project)", "", "project"],
  ]);
  expect(await commands[0]?.read("a.ts")).toBe(
    `Look at a.ts.\n\n(This is the text of /review, from ${join(base, "home/commands/review.md")}.)`,
  );
  const push = commands.find(({ name }) => name === "git:push");
  expect(await push?.read("main")).toContain("from .claude/commands/git/push.md. Commands in it, written !`command`,");
  writeFileSync(deep, "Push \u{E0041}nothing\u200B\u0007.");
  expect(await push?.read("")).toMatch(/^Push nothing\.\n/);
});

it("of a project take no name that is the user's, and none of ours", async () => {
  put("user/.claude/commands/review.md", "Mine.");
  put("project/.signalbox/commands/review.md", "Theirs.");
  put("project/.signalbox/commands/help.md", "Theirs.");
  put("project/.signalbox/commands/Skill.md", "Theirs.");
  const { commands } = await load();
  const skill = { name: "Skill", description: "S", read: async () => "" } as never;
  const sources = { skills: [skill], files: commands, prompts: [] };
  const typed = (text: string) => {
    const word = readSlashWord([{ type: "text", text }]);
    return word && findCommand(word, sources);
  };
  const review = typed("/review this");
  expect(review).toMatchObject({ type: "file", rest: "this", file: { origin: "user" } });
  expect(typed("/help")).toEqual({ type: "help" });
  expect(typed("/Skill")).toMatchObject({ type: "skill" });
  const names = availableCommands(sources).map(({ name }) => name);
  expect(names.filter((name) => ["review", "help", "Skill"].includes(name))).toEqual(["help", "review", "Skill"]);
  const states = [
    ["slow", "starting"],
    ["broken", "failed"],
    ["good", "running"],
  ] as const;
  const help = helpText(
    sources,
    states.map(([name, state]) => ({ name, state })),
  );
  expect(help).toContain("- `/review`: ");
  expect(help).toContain("- Still starting, and may bring more commands: slow.\n- Not running, ");
  expect(help).not.toContain("good");
});

it("that lead elsewhere, are too big or empty are not used; our own folder says so", async () => {
  const secret = put("secret.md", "The key.");
  put("project/.signalbox/commands/empty.md", " \n");
  put("project/.signalbox/commands/big.md", "x".repeat(200_001));
  symlinkSync(secret, join(base, "project/.signalbox/commands/link.md"));
  put("project/.claude/commands/empty.md", "");
  const { commands, problems } = await load();
  expect(commands).toEqual([]);
  expect(problems).toEqual([
    expect.stringMatching(/big\.md is not used: it is bigger than 200 KB$/),
    expect.stringMatching(/empty\.md is not used: it is empty$/),
    expect.stringMatching(/link\.md is not used: it is a link to somewhere else$/),
  ]);
});
