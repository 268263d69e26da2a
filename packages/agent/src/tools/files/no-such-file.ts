// Makes the failure for a missing file, with similar names: models often miss by a letter or a folder.
import { basename, dirname, join } from "node:path";
import { ToolFailure } from "@signalbox/agent-kit";
import type { Files } from "./files.ts";

const maxNames = 5;

export async function noSuchFile(files: Files, path: string): Promise<ToolFailure> {
  const names = await files.list(dirname(files.absolute(path))).catch(() => null);
  if (names === null) return new ToolFailure(`${path} does not exist, nor does its folder.`);
  if (names.some(({ name, type }) => name === basename(path) && type === "link")) {
    return new ToolFailure(`${path} is a link, and what it leads to does not exist.`);
  }
  const wanted = basename(path).toLowerCase();
  const stem = wanted.replace(/\.[^.]*$/, "");
  const alike = names
    .map(({ name }) => name)
    .filter((name) => name.toLowerCase() === wanted || name.toLowerCase().replace(/\.[^.]*$/, "") === stem)
    .slice(0, maxNames)
    .map((name) => join(dirname(path), name));
  const hint = alike.length === 0 ? "Look with list_directory or find_path." : `Did you mean ${alike.join(" or ")}?`;
  return new ToolFailure(`${path} does not exist. ${hint}`);
}
