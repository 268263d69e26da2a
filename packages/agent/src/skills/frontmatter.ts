// Reads the frontmatter of a Markdown file: YAML between two lines `---`.
import { parse, type YAMLParseError } from "yaml";

interface FrontmatterFile {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** The YAML library needs a second for some texts of 20 KB; for this length it is fast, whatever is in it. */
const maxFrontmatterLength = 8000;

/** Throws an error that names the problem, and the line where there is one. */
export function readFrontmatter(text: string): FrontmatterFile {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  if (lines[0]?.trimEnd() !== "---") throw new Error("it does not begin with frontmatter (a line ---)");
  const end = lines.findIndex((line, index) => index > 0 && /^(?:---|\.\.\.)\s*$/.test(line));
  if (end === -1) throw new Error("its frontmatter has no end (a second line ---)");
  const fields = parseYaml(lines.slice(1, end).join("\n"));
  if (typeof fields !== "object" || fields === null || Array.isArray(fields))
    throw new Error("its frontmatter has no fields");
  const body = lines.slice(end + 1).join("\n");
  return { fields: fields as Record<string, unknown>, body: body.trim() };
}

function parseYaml(text: string): unknown {
  if (text.length > maxFrontmatterLength)
    throw new Error(`its frontmatter is longer than ${maxFrontmatterLength} characters`);
  try {
    return parse(text, { logLevel: "error" });
  } catch (error) {
    const { linePos, message } = error as YAMLParseError;
    // Behind the first line the library draws the place. Its lines begin below the `---`.
    const problem = message.replace(/ at line \d+, column \d+:[^]*$/, "");
    throw new Error(linePos === undefined ? problem : `line ${linePos[0].line + 1}: ${problem}`, { cause: error });
  }
}
