import { describe, expect, it } from "vitest";
import { parseFlags, suggest } from "./arguments.ts";
import type { Flags } from "./command.ts";

const flags = {
  port: { type: "number", value: "N", min: 0, max: 65_535, help: "" },
  "data-dir": { type: "string", value: "DIR", help: "" },
  provider: { type: "string", value: "NAME", choices: ["demo", "openai"], help: "" },
  json: { type: "boolean", help: "" },
} as const satisfies Flags;

describe("flags on the command line", () => {
  it("come out typed, in either spelling, and absent ones are absent", () => {
    expect(parseFlags(["--port", "0", "--data-dir=/x=y", "--json"], flags)).toEqual({
      port: 0,
      "data-dir": "/x=y",
      provider: undefined,
      json: true,
    });
  });

  it.each([
    [["--prot", "1"], "There is no flag --prot. Did you mean --port?"],
    [["--zzzzzzzz"], "There is no flag --zzzzzzzz."],
    [["--port"], "--port needs a value: --port N."],
    [["--port", "70000"], '--port is a number from 0 to 65535; "70000" is not.'],
    [["--port", "12x"], '--port is a number from 0 to 65535; "12x" is not.'],
    [["--port", ""], '--port is a number from 0 to 65535; "" is not.'],
    [["--provider", "openia"], '--provider is one of demo, openai; "openia" is not. Did you mean openai?'],
    [["--json=yes"], "--json takes no value."],
    [["extra"], '"extra" is one word too many.'],
  ])("%j is refused with a sentence", (words, message) => {
    expect(() => parseFlags(words, flags)).toThrow(message);
  });

  it("suggests only what is near", () => {
    expect(suggest("agnet", ["serve", "agent"])).toBe(" Did you mean agent?");
    expect(suggest("x", ["serve", "agent"])).toBe("");
  });
});
