// Reads a patch in the form that GPT models are trained on: files to add, delete, update and move, with hunks of lines and no line numbers.

export type FilePatch =
  | { readonly type: "add"; readonly path: string; readonly text: string }
  | { readonly type: "delete"; readonly path: string }
  | {
      readonly type: "update";
      readonly path: string;
      readonly moveTo: string | undefined;
      readonly hunks: readonly Hunk[];
    };

export interface Hunk {
  /** Lines that stand somewhere before it, each after the one before: the class, then the function. */
  readonly anchors: readonly string[];
  /** The lines as they are now, and as they shall be. Both have the lines around. */
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  /** For each new line the old one that it is; null for one that is added. */
  readonly kept: readonly (number | null)[];
  /** It is the end of the file. */
  readonly isAtEnd: boolean;
}

type ParsedPatch = { readonly files: readonly FilePatch[] } | { readonly problem: string };

const shape =
  "A patch is: *** Begin Patch, then for each file *** Add File: PATH with + lines, *** Delete File: PATH, or *** Update File: PATH with hunks that begin with @@, then *** End Patch.";

const header = /^\*\*\* (Add|Delete|Update) File: (.+)$/;

/** `problem` is for the model. */
export function parsePatch(text: string): ParsedPatch {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const first = lines.findIndex((line) => line.trim() === "*** Begin Patch");
  const last = lines.findLastIndex((line) => line.trim() === "*** End Patch");
  if (first < 0 || last < first) return { problem: `It has no *** Begin Patch or no *** End Patch. ${shape}` };
  const files: FilePatch[] = [];
  let at = first + 1;
  while (at < last) {
    const line = lines[at] ?? "";
    const [, action, name] = header.exec(line.trimEnd()) ?? [];
    if (action === undefined || name === undefined) {
      if (line.trim() !== "") return { problem: `This line belongs to no file: ${line.slice(0, 200)}\n${shape}` };
      at++;
      continue;
    }
    const end = lines.findIndex((each, index) => index > at && (index === last || header.test(each.trimEnd())));
    const file = parseFile(action, name.trim(), lines.slice(at + 1, end));
    if ("problem" in file) return file;
    if (files.some(({ path }) => path === file.path))
      return { problem: `${file.path} is in it twice. Put all hunks of a file under one *** Update File.` };
    files.push(file);
    at = end;
  }
  return files.length === 0 ? { problem: `It names no file. ${shape}` } : { files };
}

function parseFile(action: string, path: string, body: readonly string[]): FilePatch | { readonly problem: string } {
  if (action === "Delete") return { type: "delete", path };
  if (action === "Add") {
    const added = withoutBlankEnd(body);
    const wrong = added.find((line) => !line.startsWith("+"));
    if (wrong !== undefined)
      return { problem: `Each line of the new file ${path} must begin with +, not: ${wrong.slice(0, 200)}` };
    return { type: "add", path, text: added.map((line) => `${line.slice(1)}\n`).join("") };
  }
  const [, moveTo] = /^\*\*\* Move to: (.+)$/.exec(body[0]?.trimEnd() ?? "") ?? [];
  const hunks = parseHunks(path, withoutBlankEnd(moveTo === undefined ? body : body.slice(1)));
  if ("problem" in hunks) return hunks;
  if (hunks.length === 0 && moveTo === undefined) return { problem: `There is no hunk for ${path}. ${shape}` };
  return { type: "update", path, moveTo: moveTo?.trim(), hunks };
}

function withoutBlankEnd(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
}

interface OpenHunk {
  readonly anchors: string[];
  readonly oldLines: string[];
  readonly newLines: string[];
  readonly kept: (number | null)[];
  isAtEnd: boolean;
}

function parseHunks(path: string, lines: readonly string[]): readonly Hunk[] | { readonly problem: string } {
  const hunks: OpenHunk[] = [];
  const open = () => {
    const hunk: OpenHunk = { anchors: [], oldLines: [], newLines: [], kept: [], isAtEnd: false };
    hunks.push(hunk);
    return hunk;
  };
  for (const line of lines) {
    const last = hunks.at(-1);
    const isBegun = last !== undefined && last.oldLines.length + last.newLines.length > 0;
    if (line.startsWith("@@")) {
      const anchor = line
        .slice(2)
        .replace(/@@\s*$/, "")
        .trim();
      const hunk = last === undefined || isBegun ? open() : last;
      // Numbers of lines, as diff writes them, say nothing: models count badly.
      if (anchor !== "" && !/^-\d+(,\d+)? \+\d+(,\d+)?$/.test(anchor)) hunk.anchors.push(anchor);
    } else if (line.trim() === "*** End of File") {
      if (last !== undefined) last.isAtEnd = true;
    } else {
      const hunk = last ?? open();
      const mark = line.charAt(0);
      if (mark !== "+" && mark !== "-" && mark !== " " && line !== "")
        return { problem: `Each line of a hunk must begin with a blank, + or -. In ${path}: ${line.slice(0, 200)}` };
      if (mark !== "+") hunk.oldLines.push(line.slice(1));
      if (mark === "-") continue;
      hunk.newLines.push(line.slice(1));
      hunk.kept.push(mark === "+" ? null : hunk.oldLines.length - 1);
    }
  }
  return hunks.filter(({ oldLines, newLines }) => oldLines.length + newLines.length > 0);
}
