// Writes the title of a call, which says what happens to what: Read `src/a.ts` (51 - 150), `npm test`, grep "x".

import { type Fields, parseMcpToolName, readFields } from "@signalbox/rules";
import { isCount, textField } from "./arguments.ts";
import { kindOfName } from "./kind.ts";
import { pathArguments, readLine, shortenPath } from "./path-arguments.ts";
import { collectSecrets, isSecretName } from "./redact.ts";
import { code, quoted, titleText } from "./title-text.ts";
import { displayName, listWords } from "./tool-name.ts";

const maxCommandLength = 60;
const maxPathLength = 200;
const maxNameLength = 100;

/** The title of a call. Paths inside `cwd` are shown relative to it. Never throws, whatever the arguments are. */
export function createToolTitle(name: string, args?: unknown, cwd?: string): string {
  if (parseMcpToolName(name) !== undefined) return titleText(displayName(name), maxNameLength);
  try {
    const fields = readFields(args);
    const secrets = collectSecrets(fields);
    const toText: ToText = (text, maxLength) => titleText(text, maxLength, secrets);
    return meantTitle(name, fields, cwd, toText) ?? callTitle(name, fields, toText);
  } catch {
    // Arguments that cannot be read (a getter that throws) are no reason to fail a call; its name is title enough.
    return callTitle(name, {}, titleText);
  }
}

/** The title of a call whose name and arguments have a meaning that is known. */
function meantTitle(name: string, fields: Fields, cwd: string | undefined, toText: ToText): string | undefined {
  const words = listWords(name);
  const paths = pathArguments(fields)
    .filter(({ looksLikePath }) => looksLikePath)
    .map(({ path }) => code(toText(cwd === undefined ? path : shortenPath(cwd, path), maxPathLength)));
  const kind = kindOfName(words);
  switch (kind) {
    case "read":
      return onPath(words.includes("list") ? "List" : "Read", paths[0], describeLines(fields));
    case "edit":
      return onPath(editVerb(words), paths[0]);
    case "delete":
      return onPath("Delete", paths[0]);
    case "move":
      return onPath(words.includes("copy") ? "Copy" : "Move", paths[0], paths[1] && ` to ${paths[1]}`);
    case "execute": {
      const command = readCommand(fields);
      return command && code(toText(command, maxCommandLength));
    }
    case "search":
      return searchTitle(words, fields, toText);
    case "fetch": {
      const url = textField(fields, "url", "uri", "endpoint", "href");
      if (url !== undefined) return `Fetch ${toText(url, maxPathLength)}`;
      const query = textField(fields, "query", "q");
      return query && `Search the web for ${quoted(toText(query, maxCommandLength))}`;
    }
    case "think":
      return words.includes("todo") ? "Update the plan" : "Think";
    case "switch_mode":
    case "other":
      return undefined;
  }
}

type ToText = (text: string, maxLength: number) => string;

function onPath(verb: string, path: string | undefined, rest = ""): string | undefined {
  return path === undefined ? undefined : `${verb} ${path}${rest}`;
}

function editVerb(words: readonly string[]): string {
  if (words.includes("write") || words.includes("save")) return "Write";
  return words.includes("create") ? "Create" : "Edit";
}

/** ` (51 - 150)` for a part of a file. */
function describeLines(fields: Fields): string {
  const first = readLine(fields);
  const last = fields.end_line ?? fields.endLine;
  if (isCount(last)) return ` (${first ?? 1} - ${last})`;
  if (isCount(fields.limit) && fields.limit > 0) return ` (${first ?? 1} - ${(first ?? 1) + fields.limit - 1})`;
  return first === undefined ? "" : ` (from line ${first})`;
}

function readCommand(fields: Fields): string | undefined {
  const command = fields.command ?? fields.cmd ?? fields.script ?? fields.code;
  const parts = Array.isArray(command) ? command : [command, ...(Array.isArray(fields.args) ? fields.args : [])];
  const text = parts.filter((part) => typeof part === "string").join(" ");
  return text.trim() === "" ? undefined : text;
}

function searchTitle(words: readonly string[], fields: Fields, toText: ToText): string | undefined {
  const wanted = textField(fields, "pattern", "query", "regex", "glob", "q", "text", "name", "symbol");
  if (wanted === undefined) return undefined;
  const text = toText(wanted, maxCommandLength);
  if (words.includes("grep")) return `grep ${quoted(text)}`;
  return words.includes("find") || words.includes("glob") ? `Find ${code(text)}` : `Search ${quoted(text)}`;
}

/** `name(city="Oslo", days=3)` for a tool that nothing is known about. */
function callTitle(name: string, fields: Fields, toText: ToText): string {
  const parts: string[] = [];
  let length = 0;
  for (const [key, value] of Object.entries(fields)) {
    if (isSecretName(key)) continue;
    const text =
      typeof value === "string"
        ? quoted(toText(value, 30))
        : typeof value === "number" || typeof value === "boolean"
          ? String(value)
          : undefined;
    if (text === undefined) continue;
    const part = `${toText(key, 30)}=${text}`;
    length += part.length;
    if (length > maxCommandLength) {
      parts.push("…");
      break;
    }
    parts.push(part);
  }
  const called = titleText(name, maxNameLength) || "Tool call";
  return parts.length === 0 ? called : `${called}(${parts.join(", ")})`;
}
