// The API reference, made from the declarations that the compiler emits: every export with its own doc comment, in the order of index.ts.
import { readFile } from "node:fs/promises";
import { join } from "node:path";

const opening = `# @signalbox/tool-calls: API

Written by \`node packages/tool-calls/scripts/build.ts\` from the types. What the library is for and how to begin stands in its
[README](../packages/tool-calls/README.md).
`;

/** The reference as Markdown, from a folder that \`build\` filled. */
export async function renderApi(folder: string): Promise<string> {
  const index = await readFile(join(folder, "index.d.ts"), "utf8");
  const sections: string[] = [];
  for (const [, names = "", from = ""] of index.matchAll(/export (?:type )?\{ ?([^}]+) ?\} from "\.\/(.+)\.ts";/g)) {
    const declarations = await readFile(join(folder, `${from}.d.ts`), "utf8");
    for (const name of names.split(",").map((each) => each.trim().replace(/^type /, "")))
      sections.push(section(name, declarations));
  }
  return [opening, ...sections].join("\n");
}

function section(name: string, declarations: string): string {
  const lines = declarations.split("\n");
  const first = lines.findIndex((line) => new RegExp(`^export (?:declare )?(?:abstract )?\\w+ ${name}\\b`).test(line));
  if (first === -1) throw new Error(`The types have no declaration of ${name}.`);
  // A declaration that opens a block ends with the line that closes it.
  const opens = lines[first]?.endsWith("{") ?? false;
  const length = lines.slice(first).findIndex((line) => (opens ? line.startsWith("}") : line.endsWith(";")));
  const code = lines
    .slice(first, first + length + 1)
    .filter((line) => line.trim() !== "#private;")
    .join("\n")
    .replace(/^export (?:declare )?/, "");
  return [`## ${name}`, "", ...prose(lines.slice(0, first)), "```ts", code, "```", ""].join("\n");
}

/** The doc comment that ends right before a declaration, as paragraphs. */
function prose(before: readonly string[]): string[] {
  const text = before.join("\n");
  const comment = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/$/.exec(text)?.[1];
  if (comment === undefined) return [];
  const lines = comment.split("\n").map((line) => line.replace(/^\s*\* ?/, "").trim());
  return [lines.join("\n").trim(), ""];
}
