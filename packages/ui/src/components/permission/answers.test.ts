import { describe, expect, it } from "vitest";
import { isTruncatedCommand, keyedOptions } from "./answers.ts";

const option = (kind: string) => ({ optionId: kind, name: kind, kind });

describe("the keys of a question", () => {
  it("give the mildest answer of each side", () => {
    const options = ["allow_always", "allow_once", "reject_always", "reject_once"].map(option);
    expect(keyedOptions(options)).toEqual({ allow: option("allow_once"), deny: option("reject_once") });
  });

  it("never allow for good, and never read an unknown option as a yes", () => {
    expect(keyedOptions([option("allow_always"), option("reject_always")])).toEqual({
      allow: undefined,
      deny: option("reject_always"),
    });
    expect(keyedOptions([option("whatever")])).toEqual({ allow: undefined, deny: undefined });
  });
});

describe("the title of a question", () => {
  it("is left out only where it is nothing but the beginning of the command that is shown", () => {
    const raw_input = { command: "make clean &&\n  make all install" };
    expect(isTruncatedCommand({ title: "`make clean && make a…`", raw_input })).toBe(true);
    expect(isTruncatedCommand({ title: "`make harmless…`", raw_input })).toBe(false);
    expect(isTruncatedCommand({ title: "Build: `make clean…`", raw_input })).toBe(false);
    expect(isTruncatedCommand({ title: "`make clean…`", raw_input: null })).toBe(false);
  });
});
