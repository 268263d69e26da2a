import { describe, expect, it } from "vitest";
import { isTruncatedCommand, keyedOptions, optionLabel } from "./answers.ts";

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

describe("the label of an option", () => {
  it.each([
    ["allow_once", "Allow once", "Allow once"],
    ["allow_once", "Yes, and accept edits", "Yes, and accept edits"],
    ["allow_once", "PostgreSQL", "Allow once: PostgreSQL"],
    ["allow_once", "Deny", "Allow once: Deny"],
    ["allow_once", "Always allow", "Allow once: Always allow"],
    ["allow_always", "Always allow npm test", "Always allow npm test"],
    ["allow_always", "Allow for this session", "Allow for this session"],
    ["allow_always", "Deny", "Always allow: Deny"],
    ["allow_always", "Allow once", "Always allow: Allow once"],
    ["reject_once", "Reject", "Reject"],
    ["reject_once", "Allow", "Deny: Allow"],
    ["reject_always", "Never", "Never"],
    ["reject_always", "Reject", "Always deny: Reject"],
    ["something", "Yes", "Unknown option (something): Yes"],
    ["reject_once", "", "Deny"],
  ])("of the kind %s with the name %j is %j", (kind, name, label) => {
    expect(optionLabel({ optionId: "x", kind, name })).toBe(label);
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
