import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { Diagnostics } from "./diagnostics.ts";
import { testFolder } from "./testing/try-tool.ts";

const { signal } = new AbortController();
const allow = async () => true;
/** Complains about each line with "bad", with its number. */
const checker = "grep -n bad a.ts b.ts && exit 1 || exit 0";

it("tells only what is new since the checker last ran, wherever it stands", async () => {
  await using folder = testFolder();
  for (const name of ["a.ts", "b.ts"]) folder.put(name, "bad old\n");
  const diagnostics = new Diagnostics([{ glob: "*.ts", command: checker }], folder.workspace);
  const paths = [folder.path("a.ts")];
  await diagnostics.before(paths, allow, signal);
  writeFileSync(folder.path("a.ts"), "one\ntwo\nbad old\n");
  expect(await diagnostics.after(paths, allow, signal)).toBe("");
  appendFileSync(folder.path("a.ts"), "bad new\n");
  expect(await diagnostics.after(paths, allow, signal)).toBe(`[New problems, by ${checker}:\na.ts:4:bad new]`);
  expect(await diagnostics.after(paths, allow, signal)).toBe("");
  expect(await diagnostics.after([folder.path("c.md")], allow, signal)).toBe("");
});

it("names the file where the command wants it, in the sandbox, only where it may, and with an end", async () => {
  await using folder = testFolder();
  folder.put("it's.ts", "x\n");
  const path = folder.path("it's.ts");
  const asked: string[] = [];
  const escape = `${folder.outside}/escaped`;
  const command = `cat {file}; touch ${escape}; for i in $(seq 30); do echo "$i a$(cat count 2>/dev/null)"; done; echo x >> count; exit 1`;
  const diagnostics = new Diagnostics([{ glob: "**/*.ts", command }], folder.workspace);
  const permit = async (line: string) => {
    asked.push(line);
    return asked.length > 1;
  };
  // Not allowed: nothing is known, so nothing is new.
  await diagnostics.before([path], permit, signal);
  expect(await diagnostics.after([path], permit, signal)).toBe("");
  await diagnostics.before([path], permit, signal);
  const told = await diagnostics.after([path], permit, signal);
  expect(asked[0]).toContain(`cat './it'\\''s.ts'`);
  expect(told.split("\n")).toHaveLength(22);
  expect(told).toMatch(/more lines\]$/);
  expect(() => readFileSync(escape)).toThrow();
});
