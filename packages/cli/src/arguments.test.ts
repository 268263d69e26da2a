import { describe, expect, it } from "vitest";
import { parseArguments, suggest } from "./arguments.ts";
import type { Flags, WordRules } from "./command.ts";

const flags = {
  port: { type: "number", value: "N", min: 0, max: 65_535, help: "" },
  "data-dir": { type: "string", value: "DIR", help: "" },
  provider: { type: "string", value: "NAME", choices: ["demo", "openai"], help: "" },
  allow: { type: "list", value: "RULE", help: "" },
  json: { type: "boolean", help: "" },
} as const satisfies Flags;

const parse = (line: readonly string[], words?: WordRules) =>
  parseArguments(line, { flags, ...(words === undefined ? {} : { words }) });

describe("flags on the command line", () => {
  it("come out typed, in either spelling, and absent ones are absent", () => {
    expect(parse(["--port", "0", "--data-dir=/x=y", "--json"]).flags).toEqual({
      port: 0,
      "data-dir": "/x=y",
      provider: undefined,
      allow: [],
      json: true,
    });
  });

  it("may be repeated where they make a list", () => {
    expect(parse(["--allow", "kind:edit", "--allow=command:git *"]).flags.allow).toEqual([
      "kind:edit",
      "command:git *",
    ]);
  });

  it.each([
    [["--prot", "1"], "There is no flag --prot. Did you mean --port?"],
    [["--zzzzzzzz"], "There is no flag --zzzzzzzz."],
    [["--constructor"], "There is no flag --constructor."],
    [["-json"], "There is no flag -json: flags begin with two dashes. Did you mean --json?"],
    [["--port"], "--port needs a value: --port N."],
    [["--allow"], "--allow needs a value: --allow RULE."],
    [["--port", "70000"], '--port is a number from 0 to 65535; "70000" is not.'],
    [["--port", "12x"], '--port is a number from 0 to 65535; "12x" is not.'],
    [["--port", " "], '--port is a number from 0 to 65535; " " is not.'],
    [["--data-dir", ""], "--data-dir needs a value: --data-dir DIR."],
    [["--data-dir="], "--data-dir needs a value: --data-dir DIR."],
    [["--provider", "openia"], '--provider is one of demo, openai; "openia" is not. Did you mean openai?'],
    [["--json=yes"], "--json takes no value."],
    [["extra"], 'Unexpected argument "extra".'],
  ])("%j is refused with a sentence", (line, message) => {
    expect(() => parse(line)).toThrow(message);
  });

  it("suggests only what is near", () => {
    expect(suggest("agnet", ["serve", "agent"])).toBe(" Did you mean agent?");
    expect(suggest("x", ["serve", "agent"])).toBe("");
  });
});

describe("words on the command line", () => {
  const thread: WordRules = { name: "THREAD", min: 1, max: 1 };
  const prompt: WordRules = { name: "PROMPT", min: 0, max: 100, commandAfterDashes: true };

  it("stand anywhere among the flags", () => {
    expect(parse(["--json", "t1", "--port", "1"], thread).words).toEqual({ given: ["t1"], after: null });
  });

  it("must be there, and no more than asked for", () => {
    expect(() => parse([], thread)).toThrow("THREAD is missing.");
    expect(() => parse(["t1", "t2"], thread)).toThrow('Unexpected argument "t2".');
  });

  it("after -- may look like flags", () => {
    expect(parse(["--", "--json"], thread)).toMatchObject({ flags: { json: false }, words: { given: ["--json"] } });
  });

  it("after -- are another command where the command takes one", () => {
    expect(parse(["do", "it", "--", "agent", "--json", "--"], prompt)).toMatchObject({
      flags: { json: false },
      words: { given: ["do", "it"], after: ["agent", "--json", "--"] },
    });
    expect(parse(["do it"], prompt).words.after).toBeNull();
  });
});
