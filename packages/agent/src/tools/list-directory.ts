// The `list_directory` tool: what is in one folder.

import { ToolFailure } from "@signalbox/agent-kit";
import { createToolTitle, locationsOf } from "@signalbox/tool-calls";
import { z } from "zod";
import type { DirectoryEntry } from "./files/files.ts";
import { said, tool } from "./tool.ts";

const description = `Lists what is in a folder, hidden entries included: folders first, with a slash at the end, then files with their size in bytes. It does not go into subfolders; use find_path for that.`;

const mostEntries = 1000;

const input = z.object({
  path: z.string().min(1).optional().describe("The folder; the session's own when left out"),
});

export const listDirectoryTool = tool<z.infer<typeof input>>({
  name: "list_directory",
  kind: "read",
  description,
  input,
  readOnly: true,
  outputLimit: 50_000,
  describe: ({ path = "." }, cwd) => ({
    title: createToolTitle("list_directory", { path }, cwd),
    locations: locationsOf({ path }, cwd),
  }),
  async execute({ path = "." }, { workspace: { files } }) {
    const facts = await files.facts(path);
    if (facts === null) throw new ToolFailure(`${path} does not exist. Look in the folder above it.`);
    if (facts.type !== "directory") throw new ToolFailure(`${path} is a file, not a folder. Use read.`);
    const entries = await files.list(path);
    if (entries.length === 0) return said("The folder is empty.");
    const folders = entries.filter(({ type }) => type === "directory");
    const others = entries.filter(({ type }) => type !== "directory");
    const lines = [...folders, ...others].slice(0, mostEntries).map(line);
    if (entries.length > mostEntries)
      lines.push(`[${entries.length - mostEntries} more entries; use find_path with a pattern]`);
    return said(lines.join("\n"));
  },
});

function line({ name, type, size }: DirectoryEntry): string {
  const shown = /[\n\r]/.test(name) ? JSON.stringify(name) : name;
  switch (type) {
    case "directory":
      return `${shown}/`;
    case "file":
      return size === null ? shown : `${shown} (${size})`;
    case "link":
      return `${shown} (link)`;
    case "other":
      return `${shown} (device, pipe or socket)`;
  }
}
