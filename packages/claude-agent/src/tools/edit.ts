// Implements Edit: it replaces a part of a file through the client.
import { changeReport, replaceText, ToolFailure } from "@signalbox/agent-kit";
import { z } from "zod";
import type { ToolFiles } from "./files.ts";
import type { SeenFiles } from "./seen-files.ts";
import { type ClientTool, defineTool } from "./tool.ts";

/** Replaces bytes that are not valid text. */
const unreadable = "\uFFFD";

const description = `Replaces a text in a file.

- file_path should be an absolute path.
- old_string must be in the file exactly once, exactly as it stands there (without the line numbers that Read puts before the lines); with replace_all every occurrence is replaced.
- With an empty old_string a new file is created that holds new_string.
- A file that has changed since it was read must be read again first.`;

export function editTool(files: ToolFiles, seen: SeenFiles): ClientTool {
  return defineTool({
    name: "Edit",
    description,
    input: {
      file_path: z.string().describe("The absolute path of the file"),
      old_string: z.string().describe("What stands in the file now"),
      new_string: z.string().describe("What shall stand there"),
      replace_all: z.boolean().optional().describe("Replace every occurrence (default: false)"),
    },
    async run({ file_path, old_string, new_string, replace_all = false }, { signal, show }) {
      const path = files.absolute(file_path);
      const before = await files.read(path, {}, signal);
      const { text: after, count } = edited(path, before, old_string, new_string, replace_all);
      if (before !== null && seen.compare(path, before) === "changed") {
        throw new ToolFailure(
          `${path} has changed since it was read, by the person or a program. Read it again first.`,
        );
      }
      if (before?.includes(unreadable) && !(await files.isUtf8(path))) {
        throw new ToolFailure(
          `${path} is not UTF-8: what is shown as ${unreadable} would be lost. Change it with Bash.`,
        );
      }
      await files.write(path, after, signal);
      seen.noteWhole(path, after);
      show(changeReport(path, before, after));
      return count === 1 ? `${path} was changed.` : `${path} was changed in ${count} places.`;
    },
  });
}

function edited(path: string, before: string | null, oldString: string, newString: string, replaceAll: boolean) {
  if (oldString === "") {
    if (before === null || before === "") return { text: newString, count: 1 };
    throw new ToolFailure(`${path} exists: old_string must say what to replace in it.`);
  }
  if (before === null) throw new ToolFailure(`There is no file ${path}. An empty old_string creates it.`);
  const replaced = replaceText(before, { oldText: oldString, newText: newString, all: replaceAll });
  if ("problem" in replaced) throw new ToolFailure(`${path} was not changed: ${replaced.problem}`);
  return replaced;
}
