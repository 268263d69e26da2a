// The API reference, made from the declarations that the compiler emits: every export with its own doc comment, in the order of index.ts.
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const opening = `# @signalbox/tool-calls: API

Written by \`node packages/tool-calls/scripts/build.ts\` from the types. What the library is for and how to begin stands in its
[README](../packages/tool-calls/README.md).
`;

/** The reference as Markdown, from a folder that \`build\` filled. */
export async function renderApi(folder: string): Promise<string> {
  const sections: string[] = [];
  for (const { names, file } of await exportsOf(join(folder, "index.d.ts")))
    for (const name of names) sections.push(section(name, await declarationsWith(name, file)));
  return [opening, ...sections].join("\n");
}

/** What a file of declarations hands on from others, in its order. */
async function exportsOf(
  path: string,
): Promise<readonly { readonly names: readonly string[]; readonly file: string }[]> {
  const text = await readFile(path, "utf8");
  const found = text.matchAll(/export (?:type )?\{([^}]+)\} from "(\.\/.+)\.[tj]s";/g);
  return [...found].map(([, names = "", from = ""]) => ({
    names: names.split(",").flatMap((each) => /(\w+)\s*$/.exec(each)?.[1] ?? []),
    file: join(dirname(path), `${from}.d.ts`),
  }));
}

/** The text of the file that declares the name: this one, or one that it hands the name on from. */
async function declarationsWith(name: string, file: string): Promise<string> {
  const from = (await exportsOf(file)).find(({ names }) => names.includes(name));
  return from === undefined ? await readFile(file, "utf8") : await declarationsWith(name, from.file);
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
