// Converts paths: inside this folder a path is bytes, one character each (latin1), because a file name need not be text. For screens it is
// text in which a byte that is no UTF-8 is a lone surrogate (U+DC80 to U+DCFF), so that it comes back as the same byte.
import { isUtf8 } from "node:buffer";

/** The bytes of a path below the thread's folder, `/`-separated, one character per byte. */
export type BytePath = string;

export function toBytes(path: BytePath): Buffer {
  return Buffer.from(path, "latin1");
}

export function toText(path: BytePath): string {
  const bytes = toBytes(path);
  if (isUtf8(bytes)) return bytes.toString("utf8");
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find((size) => at + size <= bytes.length && isUtf8(bytes.subarray(at, at + size)));
    text +=
      length === undefined
        ? String.fromCharCode(0xdc00 + (bytes[at] ?? 0))
        : bytes.subarray(at, at + length).toString("utf8");
    at += length ?? 1;
  }
  return text;
}

export function fromText(text: string): BytePath {
  if (text.isWellFormed()) return Buffer.from(text, "utf8").toString("latin1");
  return Array.from(text)
    .map((character) => {
      const code = character.codePointAt(0) ?? 0;
      return code >= 0xdc80 && code <= 0xdcff
        ? String.fromCharCode(code - 0xdc00)
        : Buffer.from(character, "utf8").toString("latin1");
    })
    .join("");
}

/** The folders above a path, the nearest first; none for a path directly in the thread's folder. */
export function foldersAbove(path: BytePath): readonly BytePath[] {
  const found: BytePath[] = [];
  for (let slash = path.lastIndexOf("/"); slash > 0; slash = path.lastIndexOf("/", slash - 1))
    found.push(path.slice(0, slash));
  return found;
}

/** Git keeps no path with such a part, in any letters: its own folder, or what is one on other systems. */
export function isInGitFolder(path: BytePath): boolean {
  return /(?:^|\/)\.git(?:\/|$)/i.test(path);
}

/** Git keeps no link of this name, which it would follow. */
export function isModulesFile(path: BytePath): boolean {
  return /(?:^|\/)\.gitmodules$/i.test(path);
}

export function isBelow(path: BytePath, folder: BytePath): boolean {
  return folder === "" || path === folder || path.startsWith(`${folder}/`);
}
