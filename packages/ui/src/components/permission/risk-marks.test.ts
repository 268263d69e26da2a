import type { PermissionRow, QuestionSubject } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { listRiskMarks } from "./risk-marks.ts";

type Subject = Partial<QuestionSubject>;
const quiet: Subject = { kind: "execute", hosts: [], command_hosts: [], escalation: null, is_command_exact: true };

const listMarks = (subject: Subject, outside: readonly string[] = [], isUnread = false) =>
  listRiskMarks({ subject: { ...quiet, ...subject }, outside } as PermissionRow, isUnread).map(
    ({ label, isDanger }) => `${label}${isDanger ? "!" : ""}`,
  );

describe("the marks of a question", () => {
  it("are none for an ordinary command in the folder", () => {
    expect(listMarks({ command: "npm test -- rm.test.ts" })).toEqual([]);
  });

  it("are none for an edit, which has no command that could be incomplete", () => {
    expect(listMarks({ kind: "edit", command: null, is_command_exact: false })).toEqual([]);
    expect(listMarks({ command: "npm", is_command_exact: false })).toEqual(["not read to its end!"]);
  });

  it.each([
    ["sudo apt update", ["as root!"]],
    ["cd x && FOO=1 sudo rm -rf y", ["as root!"]],
    ["echo sudo", []],
    ["ls; rm -rf build", ["deletes"]],
    ["git clean -fd", ["deletes"]],
    ["npm run rm", []],
  ])("of %s are %j", (command, marks) => {
    expect(listMarks({ command }).filter((mark) => marks.length === 0 || mark === marks[0])).toEqual(marks);
  });

  it("name what is outside and what was not read as dangers, and hosts as a caution", () => {
    expect(listMarks({ command: "cat ../x" }, ["/x"])).toEqual(["outside the folder!"]);
    expect(listMarks({ command: "x", escalation: { to: "outside", folder: null, reason: "" } })).toEqual([
      "outside the sandbox!",
    ]);
    expect(listMarks({ command: "x" }, [], true)).toEqual(["not read to its end!"]);
    expect(listMarks({ command: "curl a.example b.example", command_hosts: ["a.example", "b.example"] })).toEqual([
      "2 hosts",
    ]);
  });
});
