// Changes single keys of a user's config.json. Everything else in it stays as it was written; a file that would be wrong is not written.
import { randomUUID } from "node:crypto";
import { realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { readPlainText } from "@signalbox/sandbox";
import { applyEdits, type JSONPath, modify } from "jsonc-parser";
import { ConfigError } from "./config-error.ts";
import { parseConfig } from "./load-config.ts";

export interface ConfigChange {
  /** `["sandbox", "network"]` */
  readonly path: readonly (string | number)[];
  /** Undefined removes the key. */
  readonly value?: unknown;
}

const maxBytes = 1_000_000;

/** Writes all changes or none. Throws a ConfigError where the file is wrong before or would be after. */
export function editConfigFile(file: string, changes: readonly ConfigChange[]): void {
  const before = readIfThere(file);
  parseConfig(before, file);
  const after = changes.reduce(changed, before);
  parseConfig(after, file);
  // What is longer is not read at the next start.
  if (Buffer.byteLength(after) > maxBytes) throw new ConfigError([`${file} would have more than ${maxBytes} bytes.`]);
  if (after !== before) writeWhole(file, after);
}

/** The text with this change. */
export function changed(text: string, { path, value }: ConfigChange): string {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  const place = [...path] as JSONPath;
  return applyEdits(text, modify(text, place, value, { formattingOptions }));
}

function readIfThere(file: string): string {
  try {
    return readPlainText(file, maxBytes).replace(/^\uFEFF/, "");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "{}\n";
    throw error;
  }
}

/** A link stays a link: some keep their settings in another folder. */
function writeWhole(file: string, text: string): void {
  const known = statSync(file, { throwIfNoEntry: false });
  const target = known === undefined ? file : realpathSync(file);
  const unfinished = `${target}.${randomUUID()}`;
  try {
    writeFileSync(unfinished, text, { mode: known === undefined ? 0o600 : known.mode & 0o777, flag: "wx" });
    renameSync(unfinished, target);
  } finally {
    rmSync(unfinished, { force: true });
  }
}
