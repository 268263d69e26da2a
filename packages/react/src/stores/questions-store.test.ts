import type { QuestionRow } from "@signalbox/protocol";
import { expect, it } from "vitest";
import { waitingThreads } from "./questions-store.ts";

const about = (subject: object | null) => {
  const known = subject === null ? null : { kind: "edit", command: null, paths: [], hosts: [], ...subject };
  const question = {
    type: "permission",
    permission_id: "p",
    thread_id: "t",
    title: "OK.",
    cwd: "/work",
    subject: known,
  };
  return waitingThreads([question as unknown as QuestionRow])[0]?.about;
};

it("says what waits by what the host knows, and only else by what the agent calls it", () => {
  expect(about({ kind: "execute", command: "make\nrm x" })).toBe("make");
  expect(about({ kind: "execute" })).toBe("a command that it does not name");
  expect(about({ paths: ["/work/src/a.ts"] })).toBe("src/a.ts");
  // What is outside the folder comes first.
  expect(about({ paths: ["/work/src/a.ts", "/workshop/x"] })).toBe("/workshop/x and 1 more");
  expect(about({ kind: "fetch", hosts: ["example.org"] })).toBe("example.org");
  expect(about({})).toBe("OK.");
  expect(about(null)).toBe("OK.");
});
