// Implements the `list_directory` tool: it lists the entries of one folder.
import { ToolFailure } from "@signalbox/agent-kit";
import { createToolTitle, findLocations } from "@signalbox/tool-calls";
import { z } from "zod";
import type { DirectoryEntry } from "./files/files.ts";
import { folderNames, type OtherNames, wordsForThePerson } from "./other-names.ts";
import { textResult, tool } from "./tool.ts";

const description = `Lists a folder with hidden entries and the sizes of files. For subfolders use find_path.`;

const maxEntries = 1000;

const input = z.object({
  path: z.string().min(1).optional().describe("The folder"),
});

const otherNames: OtherNames = { ...folderNames, ...wordsForThePerson };

export const listDirectoryTool = tool<z.infer<typeof input>>({
  name: "list_directory",
  kind: "read",
  description,
  input,
  otherNames,
  readOnly: true,
  outputLimit: 50_000,
  describe: ({ path = "." }, cwd) => ({
    title: createToolTitle("list_directory", { path }, cwd),
    locations: findLocations({ path }, cwd),
  }),
  async execute({ path = "." }, { workspace: { files } }) {
    const facts = await files.facts(path);
    if (facts === null) throw new ToolFailure(`${path} does not exist. Look in the folder above it.`);
    if (facts.type !== "directory") throw new ToolFailure(`${path} is a file, not a folder. Use read.`);
    const entries = await files.list(path);
    if (entries.length === 0) return textResult("The folder is empty.");
    const folders = entries.filter(({ type }) => type === "directory");
    const others = entries.filter(({ type }) => type !== "directory");
    const lines = [...folders, ...others].slice(0, maxEntries).map(describeEntry);
    if (entries.length > maxEntries)
      lines.push(`[${entries.length - maxEntries} more entries; use find_path with a pattern]`);
    return textResult(lines.join("\n"));
  },
});

function describeEntry({ name, type, size }: DirectoryEntry): string {
  const label = /[\n\r]/.test(name) ? JSON.stringify(name) : name;
  switch (type) {
    case "directory":
      return `${label}/`;
    case "file":
      return size === null ? label : `${label} (${size})`;
    case "link":
      return `${label} (link)`;
    case "other":
      return `${label} (device, pipe or socket)`;
  }
}
