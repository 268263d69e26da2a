// Implements Write: it writes a whole file through the client.
import { adoptLineEndings, changeReport, ToolFailure } from "@signalbox/agent-kit";
import { z } from "zod";
import type { ToolFiles } from "./files.ts";
import type { SeenFiles } from "./seen-files.ts";
import { type ClientTool, defineTool } from "./tool.ts";

const description = `Writes a file: a new one, or all of an existing one.

- file_path should be an absolute path.
- An existing file must have been read before and must not have changed since. To change a part of it, use Edit.`;

export function writeTool(files: ToolFiles, seen: SeenFiles): ClientTool {
  return defineTool({
    name: "Write",
    description,
    input: {
      file_path: z.string().describe("The absolute path of the file"),
      content: z.string().describe("All that shall be in the file"),
    },
    async run({ file_path, content }, { signal, show }) {
      const path = files.absolute(file_path);
      const before = await files.read(path, {}, signal);
      if (before !== null && before !== "") assertSeen(path, before, seen);
      const after = before === null ? content : adoptLineEndings(before, content);
      await files.write(path, after, signal);
      seen.noteWhole(path, after);
      show(changeReport(path, before, after));
      return before === null ? `${path} was created.` : `${path} was written.`;
    },
  });
}

function assertSeen(path: string, before: string, seen: SeenFiles): void {
  switch (seen.compare(path, before)) {
    case "same":
      return;
    case "unseen":
      throw new ToolFailure(`${path} exists and was not read. Read it first, so that nothing is lost unseen.`);
    case "changed":
      throw new ToolFailure(`${path} has changed since it was read, by the person or a program. Read it again first.`);
  }
}
