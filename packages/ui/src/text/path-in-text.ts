// Recognizes what may be the path of a file in an agent's text, with a line. The host says whether there is such a file.

interface TextPath {
  readonly path: string;
  readonly line?: number;
}

const maxLength = 400;

/** Null for what cannot be the path of a file: words, commands, addresses. */
export function pathInText(text: string): TextPath | null {
  if (text.length > maxLength || /[\s\0<>|"`*?;&$=]/.test(text) || /^[-@#]|:\/\/|^\/\//.test(text)) return null;
  const parts = /^(.+?)(?:(?::|#L)(\d{1,7})(?:[:-]L?\d{1,7})*)?$/.exec(text);
  const path = parts?.[1] ?? "";
  const isFile = /[^/.]\.[\w-]{1,12}$|\/[^/]+$|^\.\w|^[A-Z]\w*file$/.test(path);
  if (!isFile) return null;
  const line = Number(parts?.[2] ?? 0);
  return line > 0 ? { path, line } : { path };
}
