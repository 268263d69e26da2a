// The words under which imported things are listed: short, on one line, without secrets.
import { isAbsolute, relative } from "node:path";

const threadTitleLength = 80;
const commandLength = 60;

export function threadTitle(prompt: string): string {
  return cut(prompt.trim().split("\n", 1)[0]?.trim() ?? "", threadTitleLength) || "Imported session";
}

/** A command in backticks, which are escaped within it. */
export function commandTitle(command: string): string {
  const line = cut(withoutSecrets(command).replaceAll(/\s+/g, " ").trim(), commandLength);
  return `\`${line.replaceAll("`", "\\`")}\``;
}

export function pathTitle(verb: string, path: string, cwd: string, lines = ""): string {
  const inside = isAbsolute(path) ? relative(cwd, path) : path;
  const shown = inside === "" || inside.startsWith("..") ? path : inside;
  return `${verb} \`${shown}\`${lines}`;
}

/** The address without what may be secret in it. */
export function addressTitle(address: string): string {
  try {
    const { protocol, host, pathname } = new URL(address);
    return `Fetch ${protocol}//${host}${pathname}`;
  } catch {
    return "Fetch";
  }
}

export function cut(text: string, length: number): string {
  return text.length <= length
    ? text
    : `${text
        .slice(0, length - 1)
        .toWellFormed()
        .replace(/\ufffd$/, "")}…`;
}

function withoutSecrets(command: string): string {
  return command
    .replaceAll(/([\w-]*(?:key|token|secret|passw(?:or)?d|credential)[\w-]*\s*[=:]\s*)("[^"]*"|'[^']*'|\S+)/gi, "$1…")
    .replaceAll(/(bearer\s+)\S+/gi, "$1…")
    .replaceAll(/(--(?:[\w-]*(?:key|token|secret|passw(?:or)?d))\s+)(?!-)\S+/gi, "$1…");
}
