// Implements the `grep` tool: it finds lines by a regular expression, with ripgrep.

import { ToolFailure } from "@signalbox/agent-kit";
import { createToolTitle, findLocations } from "@signalbox/tool-calls";
import { z } from "zod";
import { folderNames, type OtherNames, wordsForThePerson } from "../other-names.ts";
import { textResult, tool } from "../tool.ts";
import { compileGlob, GlobError } from "./glob.ts";
import { GrepLines } from "./grep-lines.ts";
import { findLeftOut } from "./left-out.ts";
import { ripgrep } from "./ripgrep.ts";

const description = `Searches files with a regular expression (ripgrep); returns path:line:text. Skips what .gitignore leaves out.`;

const maxLines = 1000;

const input = z.object({
  pattern: z.string().min(1).describe("The regular expression"),
  path: z.string().min(1).optional().describe("Folder or file"),
  glob: z.string().min(1).optional().describe("Which files: *.ts, !*.test.ts"),
  ignore_case: z.boolean().optional().describe("Ignore case"),
  literal: z.boolean().optional().describe("Plain text"),
  multiline: z.boolean().optional().describe("Match across lines"),
  context: z.int().min(0).max(20).optional().describe("Lines around each match"),
  files_only: z.boolean().optional().describe("Only file names"),
  include_ignored: z.boolean().optional().describe("Ignored files too"),
});

const otherNames: OtherNames = {
  ...folderNames,
  ...wordsForThePerson,
  query: "pattern",
  regex: "pattern",
  include: "glob",
  includepattern: "glob",
  filepattern: "glob",
  i: "ignore_case",
  caseinsensitive: "ignore_case",
  casesensitive: (value) => ({ ignore_case: value === false }),
  c: "context",
  // Line numbers are always there.
  n: null,
  outputmode: (value) => {
    if (value === "content") return {};
    return value === "files_with_matches" ? { files_only: true } : undefined;
  },
};

type Input = z.infer<typeof input>;

export const grepTool = tool<Input>({
  name: "grep",
  kind: "search",
  description,
  input,
  otherNames,
  readOnly: true,
  outputLimit: 30_000,
  describe: ({ pattern, path }, cwd) => ({
    title: createToolTitle("grep", { pattern }, cwd),
    ...(path === undefined ? {} : { locations: findLocations({ path }, cwd) }),
  }),
  async execute(call, { workspace, signal }) {
    const { path = "." } = call;
    if ((await workspace.files.facts(path)) === null) throw new ToolFailure(`${path} does not exist.`);
    const isWanted = pathFilter(call.glob, path);
    const leftOut = await findLeftOut(workspace, path);
    const lines = new GrepLines(
      call.files_only === true,
      (each) => isWanted(each) && !leftOut.isHidden(each),
      maxLines,
    );
    await ripgrep(workspace, {
      args: buildArguments(call),
      ignored: call.include_ignored === true,
      path,
      signal,
      onOutput: (text) => lines.add(text),
    });
    const found = lines.finish();
    return textResult(
      [found === "" ? "Nothing matches." : found, leftOut.note].filter((part) => part !== "").join("\n"),
    );
  },
});

function buildArguments(call: Input): string[] {
  return [
    "--line-number",
    "--with-filename",
    "--no-heading",
    "--null",
    "--max-columns=500",
    "--max-columns-preview",
    "--max-filesize=50M",
    ...(call.ignore_case === true ? ["--ignore-case"] : []),
    ...(call.literal === true ? ["--fixed-strings"] : []),
    ...(call.multiline === true ? ["--multiline", "--multiline-dotall"] : []),
    ...(call.context === undefined ? [] : [`--context=${call.context}`]),
    ...(call.files_only === true ? ["--files-with-matches"] : []),
    ...globArguments(call.glob),
    `--regexp=${call.pattern}`,
  ];
}

/**
 * A positive --glob of ripgrep would bring back what .gitignore leaves out, so only negative ones are passed on. Names are selected as a file
 * type, and `pathFilter` checks the rest of the path.
 */
function globArguments(glob: string | undefined): string[] {
  if (glob === undefined) return [];
  if (glob.startsWith("!")) return [`--glob=${glob}`];
  const name = glob.slice(glob.lastIndexOf("/") + 1);
  return name === "" || name.includes("**") || /[{}]/.test(glob.replace(name, ""))
    ? []
    : [`--type-add=wanted:${name}`, "--type=wanted"];
}

/** The glob is relative to the session's folder or to the searched one. Both are accepted. */
function pathFilter(glob: string | undefined, searched: string): (path: string) => boolean {
  if (glob === undefined || glob.startsWith("!")) return () => true;
  const folder = `${searched.replace(/^\.\//, "").replace(/\/+$/, "")}/`;
  try {
    const matches = compileGlob(glob);
    return (path) => matches(path) || (path.startsWith(folder) && matches(path.slice(folder.length)));
  } catch (error) {
    if (error instanceof GlobError) throw new ToolFailure(`The glob ${glob} cannot be used: ${error.message}`);
    throw error;
  }
}
