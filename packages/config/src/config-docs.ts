// Writes the tables of docs/config.md into the text around them, which is written by hand.
import { type KeyRow, listKeyRows } from "./describe-keys.ts";

const begin = "<!-- keys: generated from packages/config/src/config-schema.ts by `npm run fix` -->";
const end = "<!-- /keys -->";

/** Returns the page with the table of keys as it should be. */
export function renderConfigDocs(page: string): string {
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from === -1 || to < from) throw new Error(`docs/config.md has no place for the keys: ${begin} … ${end}`);
  return `${page.slice(0, from)}${begin}\n\n${renderKeys(listKeyRows())}\n${page.slice(to)}`;
}

function renderKeys(rows: readonly KeyRow[]): string {
  const lines = rows.map(
    ({ key, help, see, default: usual, project }) =>
      `| \`${key}\` | ${help}${see === undefined ? "" : ` See ${see}.`} | ${usual} | ${project} |\n`,
  );
  return `| key | meaning | default | project |\n| --- | --- | --- | --- |\n${lines.join("")}`;
}
