// The frontmatter of a Markdown file and the part of YAML that people write there: texts, numbers, lists, maps, block texts. What it
// does not know it refuses with the line, instead of guessing.
import { parseYaml } from "./yaml.ts";

export interface FrontmatterFile {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Throws an error that names the problem, and the line where there is one. */
export function readFrontmatter(text: string): FrontmatterFile {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  if (lines[0]?.trimEnd() !== "---") throw new Error("it does not begin with frontmatter (a line ---)");
  const end = lines.findIndex((line, index) => index > 0 && /^(?:---|\.\.\.)\s*$/.test(line));
  if (end === -1) throw new Error("its frontmatter has no end (a second line ---)");
  const fields = parseYaml(lines.slice(1, end), 2);
  if (typeof fields !== "object" || fields === null || Array.isArray(fields))
    throw new Error("its frontmatter has no fields");
  return {
    fields: fields as Record<string, unknown>,
    body: lines
      .slice(end + 1)
      .join("\n")
      .trim(),
  };
}
