import type { ChangedFile, QuestionSubject } from "@signalbox/protocol";
import { mildestOptions } from "@signalbox/react";
import { describe, expect, it } from "vitest";
import {
  hasRisk,
  inOrder,
  isChoice,
  isCommandInHead,
  isCommandTitle,
  isNamedWhole,
  isOnlyAlways,
  nameQuestion,
  optionLabel,
} from "./answers.ts";

const option = (kind: string) => ({ optionId: kind, name: kind, kind });

describe("the keys of a question", () => {
  it("give the mildest answer of each side", () => {
    const options = ["allow_always", "allow_once", "reject_always", "reject_once"].map(option);
    expect(mildestOptions(options)).toEqual({ allow: option("allow_once"), deny: option("reject_once") });
  });

  it("never allow for good, and never read an unknown option as a yes", () => {
    expect(mildestOptions([option("allow_always"), option("reject_always")])).toEqual({
      allow: undefined,
      deny: option("reject_always"),
    });
    expect(mildestOptions([option("whatever")])).toEqual({ allow: undefined, deny: undefined });
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
    ["allow_always", "allow_always", "Always allow"],
    ["reject_once", "reject_once", "Deny"],
  ])("of the kind %s with the name %j is %j", (kind, name, label) => {
    expect(optionLabel({ optionId: "x", kind, name })).toBe(label);
  });
});

describe("the options of an agent", () => {
  it("come in one order: once, remembered, deny", () => {
    const sent = ["reject_always", "allow_always", "whatever", "reject_once", "allow_once"].map(option);
    expect(inOrder(sent).map(({ kind }) => kind)).toEqual([
      "allow_once",
      "allow_always",
      "reject_once",
      "reject_always",
      "whatever",
    ]);
  });

  it("are left out where they only remember what Signalbox remembers", () => {
    const always = (name: string) => isOnlyAlways({ optionId: "x", kind: "allow_always", name });
    expect(["allow_always", "Always allow", "Always allow bash: ls", "Allow for this session"].every(always)).toBe(
      true,
    );
    expect(["Yes, and accept edits", "Yes, allow all edits during this session"].some(always)).toBe(false);
    expect(isOnlyAlways({ optionId: "x", kind: "allow_once", name: "Always allow" })).toBe(false);
  });

  it("each have a button where they are different answers", () => {
    const plain = ["allow_once", "allow_always", "reject_once"].map(option);
    expect(isChoice(plain, "edit")).toBe(false);
    expect(isChoice(plain, "switch_mode")).toBe(true);
    expect(isChoice([...plain, option("allow_once")], "edit")).toBe(true);
    expect(isChoice([option("allow_always"), option("reject_once")], "edit")).toBe(true);
  });
});

describe("the title of a command", () => {
  it.each([
    ["`npm test`", "npm test", true],
    ["Run npm test", "npm test", true],
    ["npm run build -- --wa…", "npm run build -- --watch", true],
    ["npm run build\n--watch", "npm run build --watch", true],
    ["OK.", "rm -rf build", false],
    ["rm", "rm -rf build", false],
    ["shell", "make", false],
    ["Run the tests", "npm test", false],
  ])("%j for %j names it: %j", (title, command, isNamed) => {
    expect(isCommandTitle(title, command)).toBe(isNamed);
  });

  it("is not repeated below a first line that shows all of it", () => {
    const isInHead = (title: string, command: string, kind: "execute" | "other" = "execute") =>
      isCommandInHead({ title, kind, raw_input: { command } });
    expect(isInHead("OK.", "make all")).toBe(true);
    expect(isInHead("`make all`", "make all", "other")).toBe(true);
    expect(isInHead("OK.", "make all", "other")).toBe(false);
    expect(isInHead("OK.", "make\nmake all")).toBe(false);
    expect(isInHead("OK.", "x".repeat(200))).toBe(false);
    expect(isInHead("Run make all now", "make all")).toBe(false);
  });
});

describe("a question with a risk", () => {
  const subject: QuestionSubject = {
    kind: "edit",
    tool: null,
    command: null,
    command_end: null,
    command_lines: 0,
    command_length: 0,
    shell: null,
    is_command_exact: true,
    folder: null,
    environment: [],
    paths: ["/p/a.ts"],
    hosts: [],
    command_hosts: [],
    escalation: null,
    network: null,
    asked_before: null,
    denied_before: false,
    programs: [],
    thread_folder: "/p",
    title: "",
    input: null,
  };
  const file: ChangedFile = {
    path: "/p/a.ts",
    status: "modified",
    hunks: [],
    added: 1,
    removed: 0,
    old_size: 10,
    new_size: 20,
  };

  it("is one about something outside, or about what the card cannot show in full", () => {
    expect(hasRisk({ subject, outside: [] }, [file])).toBe(false);
    expect(hasRisk({ subject, outside: ["/etc/passwd"] }, [file])).toBe(true);
    expect(hasRisk({ subject: null, outside: [] }, [])).toBe(true);
    for (const flag of ["binary", "too_big", "outdated", "unread"])
      expect(hasRisk({ subject, outside: [] }, [file, { ...file, [flag]: true }]), flag).toBe(true);
    const command = { ...subject, command: "make" };
    expect(hasRisk({ subject: command, outside: [] }, [])).toBe(false);
    expect(hasRisk({ subject: { ...command, is_command_exact: false }, outside: [] }, [])).toBe(true);
    expect(hasRisk({ subject: { ...subject, kind: "execute" }, outside: [] }, [])).toBe(true);
  });
});

describe("questions that are allowed together", () => {
  const about = (command: string, more: Partial<QuestionSubject> = {}) => {
    const command_lines = command.split("\n").length;
    const subject = {
      command,
      command_lines,
      folder: null,
      environment: [],
      escalation: null,
      ...more,
    } as unknown as QuestionSubject;
    return { subject, hunks: [] };
  };

  it("are named by their first line, with how many follow and what cannot be seen", () => {
    expect(nameQuestion(about("ls\nrm -rf ~\nls"), "/w")).toBe("ls … and 2 more lines");
    expect(nameQuestion(about("ls \u202e x"), "/w")).toBe("ls ⟨U+202E⟩ x");
  });

  it("are only those whose name says everything, unless a person chooses", () => {
    const more = [
      about("ls\nrm -rf ~"),
      about("x".repeat(500)),
      about("ls", { folder: "/etc" }),
      about("ls", { environment: ["PATH=x"] }),
    ];
    expect([about("ls"), ...more].map(isNamedWhole)).toEqual([true, false, false, false, false]);
  });
});

it("a yes that begins like one and says no has our word before it", () => {
  const label = (kind: string, name: string) => optionLabel({ optionId: "x", kind, name });
  expect(label("allow_once", "OK, don't run it")).toBe("Allow once: OK, don't run it");
  expect(label("allow_once", "Continue without running")).toBe("Allow once: Continue without running");
  expect(label("allow_always", "Yes, and don't ask again for npm")).toBe("Yes, and don't ask again for npm");
  expect(label("allow_once", "Yes")).toBe("Yes");
});
