// Implements the `apply_patch` tool: it changes, adds, deletes and moves several files with one patch, for models that are trained on this form.
import {
  applyHunks,
  type ChangeReport,
  changeReport,
  type FilePatch,
  hasSucceeded,
  parsePatch,
  ToolFailure,
} from "@signalbox/agent-kit";
import { findLocations } from "@signalbox/tool-calls";
import { z } from "zod";
import type { TextFile } from "../files/files.ts";
import { noSuchFile } from "../files/no-such-file.ts";
import { type OtherNames, wordsForThePerson } from "../other-names.ts";
import { type PreviewContext, type ToolContext, tool } from "../tool.ts";

const description = `Changes files by a patch; if a part does not fit, nothing is changed. Example:
*** Begin Patch
*** Update File: src/a.ts
@@ function greet
-  return "hi";
+  return "hello";
*** End Patch
Also *** Add File (lines begin with +), *** Delete File, *** Move to.`;

const input = z.object({ input: z.string().min(1).describe("The patch") });

const maxTitled = 3;

const otherNames: OtherNames = { ...wordsForThePerson, patch: "input", patchtext: "input", diff: "input" };

export const applyPatchTool = tool<z.infer<typeof input>>({
  name: "apply_patch",
  kind: "edit",
  description,
  input,
  otherNames,
  readOnly: false,
  describe({ input: text }, cwd) {
    const parsed = parsePatch(text);
    const files = "files" in parsed ? parsed.files : [];
    const titles = files.map(describePatch);
    const more = titles.length > maxTitled ? ` and ${titles.length - maxTitled} more` : "";
    return {
      title: files.length === 0 ? "Apply a patch" : `${titles.slice(0, maxTitled).join(", ")}${more}`,
      // All of them, so that rules about paths see each.
      locations: files.flatMap(listPaths).flatMap((path) => findLocations({ path }, cwd)),
    };
  },
  async preview({ input: text }, context) {
    const changes = await planChanges(text, context);
    for (const { path } of changes) context.workspace.files.writablePath(path);
    return reportChanges(changes, context);
  },
  async execute({ input: text }, context) {
    const changes = await planChanges(text, context);
    const done: string[] = [];
    for (const change of changes) {
      try {
        await makeChange(change, context);
        done.push(change.did);
      } catch (error) {
        // The files before this one are changed already: the model must know.
        if (done.length === 0 || !(error instanceof ToolFailure)) throw error;
        throw new ToolFailure(`${error.message}\nDone before that: ${done.join(", ")}. The rest was not done.`);
      }
    }
    const notes = changes.flatMap(({ path, differences }) =>
      differences.map((difference) => `\n${path} differed from the patch in ${difference}; it was changed there.`),
    );
    const { content: display, locations } = reportChanges(changes, context);
    return { content: [{ type: "text", text: `Done: ${done.join(", ")}.${notes.join("")}` }], display, locations };
  },
});

/** The planned change of one file. */
interface Change {
  readonly path: string;
  /** Null: it is not there yet. */
  readonly before: TextFile | null;
  /** Null: it is deleted. */
  readonly after: string | null;
  readonly did: string;
  readonly differences: readonly string[];
}

function describePatch(file: FilePatch): string {
  switch (file.type) {
    case "add":
      return `Add \`${file.path}\``;
    case "delete":
      return `Delete \`${file.path}\``;
    case "update":
      return file.moveTo === undefined ? `Edit \`${file.path}\`` : `Move \`${file.path}\` to \`${file.moveTo}\``;
  }
}

function listPaths(file: FilePatch): readonly string[] {
  return file.type === "update" && file.moveTo !== undefined ? [file.path, file.moveTo] : [file.path];
}

/** Every change, before any is made. Throws when one of them cannot be. */
async function planChanges(text: string, context: PreviewContext): Promise<readonly Change[]> {
  const parsed = parsePatch(text);
  if ("problem" in parsed) throw new ToolFailure(`Nothing was changed: this is not a patch. ${parsed.problem}`);
  const changes: Change[] = [];
  for (const file of parsed.files) changes.push(...(await changesOfFile(file, context)));
  return changes;
}

async function changesOfFile(file: FilePatch, context: PreviewContext): Promise<readonly Change[]> {
  const { path } = file;
  if (file.type === "add") {
    await assertAbsent(path, context);
    return [{ path, before: null, after: file.text, did: `added ${path}`, differences: [] }];
  }
  const before = await existing(path, context);
  if (file.type === "delete") return [{ path, before, after: null, did: `deleted ${path}`, differences: [] }];
  const { hunks, moveTo } = file;
  const applied = hunks.length === 0 ? { text: before.text, differences: [] } : applyHunks(before.text, hunks);
  if ("problem" in applied) throw new ToolFailure(`Nothing was changed. ${path}: ${applied.problem}`);
  const { text: after, differences } = applied;
  if (moveTo === undefined) return [{ path, before, after, did: `edited ${path}`, differences }];
  await assertAbsent(moveTo, context);
  return [
    { path: moveTo, before: null, after, did: `moved ${path} to ${moveTo}`, differences },
    { path, before, after: null, did: `removed ${path}`, differences: [] },
  ];
}

async function existing(path: string, { workspace: { files }, signal }: PreviewContext): Promise<TextFile> {
  const facts = await files.facts(path);
  if (facts !== null && facts.type !== "file") throw new ToolFailure(`Nothing was changed: ${path} is not a file.`);
  const before = facts === null ? await files.unsaved(path, signal) : await files.text(path, signal);
  if (before === null) throw await noSuchFile(files, path);
  return before;
}

async function assertAbsent(path: string, { workspace: { files }, signal }: PreviewContext): Promise<void> {
  const isThere = (await files.facts(path)) !== null || (await files.unsaved(path, signal)) !== null;
  if (isThere) throw new ToolFailure(`Nothing was changed: ${path} exists already. Use *** Update File for it.`);
}

async function makeChange({ path, before, after }: Change, { workspace, signal }: ToolContext): Promise<void> {
  const { files } = workspace;
  if (after !== null) {
    const isKnown = before === null || files.seen(before) === "as it is";
    const written = await files.write(path, after, before, signal);
    if (isKnown) files.remember(written);
    return;
  }
  const real = await files.removablePath(path, before, signal);
  let said = "";
  // In the sandbox: whatever became of the path meanwhile, nothing outside of it is deleted.
  const end = await workspace.runProgram({
    command: ["rm", "-f", "--", real],
    cwd: workspace.cwd,
    signal,
    onOutput: (output) => {
      said += output;
    },
  });
  if (!hasSucceeded(end)) throw new ToolFailure(`${path} was not deleted: ${said.trim() || end.ended}`);
}

function reportChanges(changes: readonly Change[], { workspace: { files } }: PreviewContext): ChangeReport {
  const reports = changes.map(({ path, before, after }) =>
    changeReport(files.absolute(path), before?.text ?? null, after ?? ""),
  );
  return {
    content: reports.flatMap(({ content }) => content),
    locations: reports.flatMap(({ locations }) => locations),
  };
}
