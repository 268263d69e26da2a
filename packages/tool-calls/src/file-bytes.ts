// Reads and writes what a client and an agent say in `_meta` about the bytes of files. ACP itself reads only text: a client that promises more
// gives the bytes of an image or a PDF under its own rules, and records the read.

const key = "signalbox/file_bytes";

/** The `_meta` with which a client promises it in its capabilities, and with which an agent asks for it in `fs/read_text_file`. */
export const fileBytesMeta: { readonly [key]: true } = { [key]: true };

/** Whether capabilities promise the bytes of files, or a request asks for them. */
export function hasFileBytes({ _meta }: { readonly _meta?: object | null }): boolean {
  const said: Readonly<Record<string, unknown>> = { ..._meta };
  return said[key] === true;
}

/** The answer to such a request: no text, the bytes beside it. */
export function fileBytesAnswer(bytes: Uint8Array): { content: string; _meta: { [key]: string } } {
  return {
    content: "",
    _meta: { [key]: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64") },
  };
}

/** The bytes of such an answer; undefined when it has none. */
export function readFileBytes({ _meta }: { readonly _meta?: object | null }): Uint8Array | undefined {
  const said: Readonly<Record<string, unknown>> = { ..._meta };
  const text = said[key];
  return typeof text === "string" ? Buffer.from(text, "base64") : undefined;
}
