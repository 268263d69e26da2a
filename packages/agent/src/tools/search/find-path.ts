// Implements the `find_path` tool: it finds files by a glob on their path.

import { ToolFailure } from "@signalbox/agent-kit";
import { createToolTitle, findLocations } from "@signalbox/tool-calls";
import { z } from "zod";
import { folderNames, type OtherNames, wordsForThePerson } from "../other-names.ts";
import { textResult, tool } from "../tool.ts";
import { compileGlob, GlobError } from "./glob.ts";
import { findLeftOut } from "./left-out.ts";
import { ripgrep } from "./ripgrep.ts";

const description = `Finds files by a glob: \`**/*.test.ts\`, \`src/**/index.{ts,tsx}\`; without a slash, by name in any folder. Skips what .gitignore leaves out.`;

const maxPaths = 500;

const input = z.object({
  pattern: z.string().min(1).describe("The glob"),
  path: z.string().min(1).optional().describe("The folder to search"),
  include_ignored: z.boolean().optional().describe("Ignored files too"),
});

const otherNames: OtherNames = { ...folderNames, ...wordsForThePerson, glob: "pattern", globpattern: "pattern" };

export const findPathTool = tool<z.infer<typeof input>>({
  name: "find_path",
  kind: "search",
  description,
  input,
  otherNames,
  readOnly: true,
  outputLimit: 30_000,
  describe: ({ pattern, path }, cwd) => ({
    title: createToolTitle("find_path", { pattern }, cwd),
    ...(path === undefined ? {} : { locations: findLocations({ path }, cwd) }),
  }),
  async execute({ pattern, path = ".", include_ignored }, { workspace, signal }) {
    const matches = createMatcher(pattern);
    const facts = await workspace.files.facts(path);
    if (facts?.type !== "directory")
      throw new ToolFailure(`${path} ${facts === null ? "does not exist" : "is no folder"}.`);
    const folder = /^(?:~|file:)/.test(path) ? workspace.files.absolute(path) : path.replace(/\/+$/, "") || "/";
    const prefix = folder === "/" ? "/" : `${folder}/`;
    const leftOut = await findLeftOut(workspace, folder);
    const found: string[] = [];
    let rest = "";
    await ripgrep(workspace, {
      args: ["--files", "--null"],
      ignored: include_ignored === true,
      path: folder,
      signal,
      onOutput: (text) => {
        const paths = (rest + text).split("\0");
        rest = paths.pop() ?? "";
        for (const each of paths)
          if (matches(each.slice(prefix.length)) && !leftOut.isHidden(each)) found.push(each.replace(/^\.\//, ""));
        return true;
      },
    });
    const sorted = found.toSorted((a, b) => (a < b ? -1 : 1));
    const more = sorted.length > maxPaths ? [`[${sorted.length - maxPaths} more: narrow the pattern]`] : [];
    const none = found.length === 0 ? ["No file matches."] : [];
    const note = leftOut.note === "" ? [] : [leftOut.note];
    return textResult([...none, ...sorted.slice(0, maxPaths), ...more, ...note].join("\n"));
  },
});

function createMatcher(pattern: string): (path: string) => boolean {
  try {
    return compileGlob(pattern);
  } catch (error) {
    if (error instanceof GlobError) throw new ToolFailure(`The pattern ${pattern} cannot be used: ${error.message}`);
    throw error;
  }
}
