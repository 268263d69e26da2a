// The `grep` tool: lines that match a regular expression, found by ripgrep.

import { ToolFailure } from "@signalbox/agent-kit";
import { createToolTitle, locationsOf } from "@signalbox/tool-calls";
import { z } from "zod";
import { said, tool } from "../tool.ts";
import { compileGlob, GlobError } from "./glob.ts";
import { GrepLines } from "./grep-lines.ts";
import { ripgrep } from "./ripgrep.ts";

const description = `Searches the content of files with a regular expression (ripgrep's syntax: \`log.*Error\`, \`fn\\s+\\w+\`; escape braces: \`interface\\{\\}\`) and returns the lines as path:line:text. What .gitignore leaves out is not searched, unless you set include_ignored.

Narrow it with \`path\` and \`glob\`; with files_only you get the names of the files alone. Use this instead of grep or rg in bash.`;

const mostLines = 1000;

const input = z.object({
  pattern: z.string().min(1).describe("The regular expression"),
  path: z.string().min(1).optional().describe("The folder or file to search; the session's folder when left out"),
  glob: z.string().min(1).optional().describe("Only files whose path matches, for example *.ts or !*.test.ts"),
  ignore_case: z.boolean().optional(),
  literal: z.boolean().optional().describe("Take the pattern as plain text"),
  multiline: z.boolean().optional().describe("Let the pattern match across lines"),
  context: z.int().min(0).max(20).optional().describe("Lines to show before and after each match"),
  files_only: z.boolean().optional().describe("Only the names of files that match"),
  include_ignored: z.boolean().optional().describe("Also search what .gitignore leaves out"),
});

type Input = z.infer<typeof input>;

export const grepTool = tool<Input>({
  name: "grep",
  kind: "search",
  description,
  input,
  readOnly: true,
  outputLimit: 30_000,
  describe: ({ pattern, path }, cwd) => ({
    title: createToolTitle("grep", { pattern }, cwd),
    ...(path === undefined ? {} : { locations: locationsOf({ path }, cwd) }),
  }),
  async execute(call, { workspace, signal }) {
    const { path = "." } = call;
    if ((await workspace.files.facts(path)) === null) throw new ToolFailure(`${path} does not exist.`);
    const lines = new GrepLines(call.files_only === true, pathFilter(call.glob, path), mostLines);
    await ripgrep(workspace, {
      args: argumentsFor(call),
      ignored: call.include_ignored === true,
      path,
      signal,
      onOutput: (text) => lines.add(text),
    });
    const found = lines.finish();
    return said(found === "" ? "Nothing matches." : found);
  },
});

function argumentsFor(call: Input): string[] {
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
 * ripgrep's own --glob would bring back what .gitignore leaves out, so it is used to leave out only. What is wanted is a file type
 * by its name; `pathFilter` looks at the rest of the path.
 */
function globArguments(glob: string | undefined): string[] {
  if (glob === undefined) return [];
  if (glob.startsWith("!")) return [`--glob=${glob}`];
  const name = glob.slice(glob.lastIndexOf("/") + 1);
  return name === "" || name.includes("**") || /[{}]/.test(glob.replace(name, ""))
    ? []
    : [`--type-add=wanted:${name}`, "--type=wanted"];
}

/** The glob counts from the session's folder or from the one that is searched: both are meant, and one fits. */
function pathFilter(glob: string | undefined, searched: string): (path: string) => boolean {
  if (glob === undefined || glob.startsWith("!")) return () => true;
  const folder = `${searched.replace(/^\.\//, "").replace(/\/+$/, "")}/`;
  try {
    const fits = compileGlob(glob);
    return (path) => fits(path) || (path.startsWith(folder) && fits(path.slice(folder.length)));
  } catch (error) {
    if (error instanceof GlobError) throw new ToolFailure(`The glob ${glob} cannot be used: ${error.message}`);
    throw error;
  }
}
