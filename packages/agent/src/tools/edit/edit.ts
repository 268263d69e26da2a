// Implements the `edit` tool: it replaces pieces of text in one file, all of them or none.

import { changeReport, replaceText, ToolFailure } from "@signalbox/agent-kit";
import type { Fields } from "@signalbox/rules";
import { createToolTitle, findLocations } from "@signalbox/tool-calls";
import { z } from "zod";
import type { TextFile } from "../files/files.ts";
import { noSuchFile } from "../files/no-such-file.ts";
import { fileNames, type OtherNames, plainName, wordsForThePerson } from "../other-names.ts";
import { type PreviewContext, tool } from "../tool.ts";

const description = `Replaces text in a file. Each \`old_string\` must be in the file exactly, with its indentation, and only once: include lines around it, or set \`replace_all\`. If one edit fails, none is applied. Write \\n for line endings.`;

const edit = z.object({
  old_string: z.string().describe("The text to replace"),
  new_string: z.string().describe("The replacement text"),
  replace_all: z.boolean().optional().describe("Replace every place"),
});

const input = z.object({
  path: z.string().min(1).describe("The file to change"),
  edits: z.array(edit).min(1, "edits is empty: give at least one change."),
});

const otherNames: OtherNames = {
  ...fileNames,
  ...wordsForThePerson,
  oldstr: "old_string",
  oldtext: "old_string",
  newstr: "new_string",
  newtext: "new_string",
};

/** Gathers the parameters of one change that stand beside `path`, as other agents take them, into the first of `edits`. Empty ones were left out. */
function acceptForm(sent: Fields): Fields {
  const flat: Record<string, unknown> = {};
  const others: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(sent)) {
    const plain = plainName(name);
    const meant = otherNames[plain] ?? (editParameters.find((parameter) => plainName(parameter) === plain) || name);
    if (typeof meant === "string" && editParameters.includes(meant)) flat[meant] = value;
    else others[name] = value;
  }
  const { edits = [] } = others;
  const list = Array.isArray(edits) ? edits : edits === null || edits === "" ? [] : undefined;
  const isFilled = [flat.old_string, flat.new_string].some(
    (text) => text !== undefined && text !== null && text !== "",
  );
  if (list === undefined || (!isFilled && list.length > 0) || Object.keys(flat).length === 0) return others;
  return { ...others, edits: [flat, ...list] };
}

const editParameters: readonly string[] = ["old_string", "new_string", "replace_all"];

type Input = z.infer<typeof input>;

export const editTool = tool<Input>({
  name: "edit",
  kind: "edit",
  description,
  input,
  otherNames,
  acceptForm,
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
  const { edits } = call;
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
