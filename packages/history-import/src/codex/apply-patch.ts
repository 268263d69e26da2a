// Converts the patches of Codex's apply_patch to file changes. A patch has only the lines around a change, so the texts are those lines before
// and after.

interface PatchedFile {
  readonly path: string;
  /** Null for a new file. */
  readonly oldText: string | null;
  readonly newText: string;
}

export function readPatchedFiles(patch: string): readonly PatchedFile[] {
  const files: { path: string; isNew: boolean; before: string[]; after: string[] }[] = [];
  for (const line of patch.split("\n")) {
    const [, verb, path] = /^\*\*\* (Add|Update|Delete) File: (.+)$/.exec(line) ?? [];
    const file = files.at(-1);
    if (path !== undefined) files.push({ path: path.trim(), isNew: verb === "Add", before: [], after: [] });
    else if (file === undefined || line.startsWith("*** ") || line.startsWith("@@")) continue;
    else if (line.startsWith("+")) file.after.push(line.slice(1));
    else if (line.startsWith("-")) file.before.push(line.slice(1));
    else if (line.startsWith(" ")) {
      file.before.push(line.slice(1));
      file.after.push(line.slice(1));
    }
  }
  return files.map(({ path, isNew, before, after }) => ({
    path,
    oldText: isNew ? null : before.join("\n"),
    newText: after.join("\n"),
  }));
}
