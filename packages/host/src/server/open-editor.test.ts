// Tests which editor opens a file, and how it is told the file and the line.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { checkFiles } from "./found-files.ts";
import { chooseEditor, openInEditor } from "./open-editor.ts";

it.each([
  [undefined, {}, null],
  [undefined, { EDITOR: "vim" }, null],
  [undefined, { EDITOR: "nano", VISUAL: "/usr/bin/code --wait" }, ["/usr/bin/code", "--goto", "{path}:{line}"]],
  [undefined, { EDITOR: "zed -w" }, ["zed", "{path}:{line}"]],
  ["kate", { EDITOR: "code" }, ["kate", "--line", "{line}", "{path}"]],
  ["my-editor -x", {}, ["my-editor", "-x", "{path}"]],
  ['"/opt/my editor/run" --at {line} {path}', {}, ["/opt/my editor/run", "--at", "{line}", "{path}"]],
] as const)("config %j and environment %j give %j", (configured, environment, words) => {
  expect(chooseEditor(configured, environment)?.words ?? null).toEqual(words);
});

it("gives the path as one argument, whatever it is called, and says why nothing was opened", async () => {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-editor-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, "editor");
  writeFileSync(program, '#!/bin/sh\nprintf "%s|" "$@" > "$0.args"\n[ "$2" != 3 ] || exit 3\n');
  chmodSync(program, 0o755);
  const editor = chooseEditor(`${program} {path} {line}`, {});
  if (editor === null) throw new Error("no editor");
  const file = "/a/$(touch x) {line}; b\n.ts";
  await openInEditor(editor, file, 7);
  expect(readFileSync(`${program}.args`, "utf8")).toBe(`${file}|7|`);
  await expect(openInEditor(editor, file, 3)).rejects.toThrow("editor ended with code 3");
  const missing = { name: "none", words: [join(folder, "none")] } as const;
  await expect(openInEditor(missing, file)).rejects.toThrow("none cannot be started");
});

it("knows the files of a folder by relative and absolute paths, and none outside of it", () => {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "a.ts"), "");
  const asked = [
    "a.ts",
    join(folder, "a.ts"),
    "./a.ts",
    "b.ts",
    "../a.ts",
    ".",
    "/etc/passwd",
    "a.ts\0",
    "x".repeat(900),
  ];
  expect(checkFiles(folder, asked)).toEqual(asked.slice(0, 3).map((path) => ({ path, name: "a.ts" })));
});
