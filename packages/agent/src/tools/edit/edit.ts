// Implements the `edit` tool: it replaces pieces of text in one file, all of them or none.

import { changeReport, replaceText, ToolFailure } from "@signalbox/agent-kit";
import { createToolTitle, findLocations } from "@signalbox/tool-calls";
import { z } from "zod";
import type { TextFile } from "../files/files.ts";
import { noSuchFile } from "../files/no-such-file.ts";
import { fileNames, type OtherNames, wordsForThePerson } from "../other-names.ts";
import { type PreviewContext, tool } from "../tool.ts";

const description = `Replaces text in a file. \`old_string\` must be in the file exactly, with its indentation, and only once: give a few lines around it, or set \`replace_all\` to change every place. For several changes give \`edits\` instead: made in order, all or none.

Line endings and encoding stay as they are: write \\n. When the text is not found, the answer shows what comes nearest. To create a file, use write.`;

const edit = z.object({
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z.boolean().optional(),
});

const input = z.object({
  path: z.string().min(1),
  ...edit.partial().shape,
  edits: z.array(edit).min(1).optional(),
});

const otherNames: OtherNames = {
  ...fileNames,
  ...wordsForThePerson,
  oldstr: "old_string",
  oldtext: "old_string",
  newstr: "new_string",
  newtext: "new_string",
};

type Input = z.infer<typeof input>;

export const editTool = tool<Input>({
  name: "edit",
  kind: "edit",
  description,
  input,
  otherNames,
  readOnly: false,
  describe: ({ path }, cwd) => ({
    title: createToolTitle("edit", { path }, cwd),
    locations: findLocations({ path }, cwd),
  }),
  async preview(call, context) {
    context.workspace.files.writablePath(call.path);
    const { before, text } = await edited(call, context);
    return changeReport(before.path, before.text, text);
  },
  async execute(call, context) {
    const { files } = context.workspace;
    const { before, text, count, differences } = await edited(call, context);
    const seen = files.seen(before);
    const after = await files.write(call.path, text, before, context.signal);
    // An edit shows the model one place, not the file: only who knew the file before knows it now.
    if (seen === "as it is") files.remember(after);
    const report = changeReport(before.path, before.text, text);
    const places = count === 1 ? "" : `, ${count} places`;
    const note = [
      ...differences.map((difference) => ` The file differed from old_string in ${difference}; it was changed there.`),
      seen === "before it changed"
        ? " The file has changed since you read it; your edit was made in what it is now."
        : "",
    ].join("");
    return {
      content: [{ type: "text", text: `Edited ${call.path}${places}.${note}` }],
      display: report.content,
      locations: report.locations,
    };
  },
});

interface EditResult {
  readonly before: TextFile;
  readonly text: string;
  readonly count: number;
  /** In what places differed from what the model gave. */
  readonly differences: readonly string[];
}

async function edited(call: Input, { workspace: { files }, signal }: PreviewContext): Promise<EditResult> {
  const edits = listEdits(call);
  const facts = await files.facts(call.path);
  if (facts !== null && facts.type !== "file")
    throw new ToolFailure(`${call.path} is not a file, so it cannot be edited.`);
  const before = facts === null ? await files.unsaved(call.path, signal) : await files.text(call.path, signal);
  if (before === null) throw await noSuchFile(files, call.path);
  let { text } = before;
  let count = 0;
  const differences: string[] = [];
  for (const [index, { old_string: oldText, new_string: newText, replace_all: all = false }] of edits.entries()) {
    const replaced = replaceText(text, { oldText, newText, all });
    if ("problem" in replaced) {
      const which = edits.length === 1 ? "" : ` Edit ${index + 1} of ${edits.length}:`;
      throw new ToolFailure(`${call.path} was not changed:${which} ${replaced.problem}`);
    }
    text = replaced.text;
    count += replaced.count;
    if (replaced.difference !== undefined) differences.push(replaced.difference);
  }
  return { before, text, count, differences };
}

function listEdits({ edits, old_string, new_string, replace_all }: Input): readonly z.infer<typeof edit>[] {
  const isSingle = old_string !== undefined && new_string !== undefined;
  if (edits !== undefined && old_string === undefined && new_string === undefined) return edits;
  if (edits === undefined && isSingle) return [{ old_string, new_string, replace_all }];
  throw new ToolFailure("Nothing was changed: give old_string and new_string, or edits, not both.");
}
