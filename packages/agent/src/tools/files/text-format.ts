// Decodes and encodes text files. Encoding, byte order mark and bytes that are not text are kept.

type Encoding = "utf-8" | "utf-16le" | "utf-16be";

export interface TextFormat {
  readonly encoding: Encoding;
  readonly byteOrderMark: boolean;
}

interface DecodedText extends TextFormat {
  /** Without the byte order mark. Bytes that are no UTF-8 stand as lone surrogates; show it with `toWellFormed()`. */
  readonly text: string;
}

export const plainText: TextFormat = { encoding: "utf-8", byteOrderMark: false };

/** Whether it is UTF-8 through and through, as everybody reads it. */
export function isPlainText(text: string, { encoding }: TextFormat): boolean {
  return encoding === "utf-8" && text.isWellFormed();
}

const marks: readonly (readonly [Encoding, readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/** Undefined for what is not text: a NUL byte, where no mark says UTF-16. */
export function decodeText(bytes: Uint8Array): DecodedText | undefined {
  const [encoding, mark] = marks.find(([, signs]) => signs.every((sign, index) => bytes[index] === sign)) ?? [];
  if (encoding === undefined || mark === undefined) {
    return bytes.includes(0) ? undefined : { ...plainText, text: decodeUtf8(bytes) };
  }
  const rest = Buffer.from(bytes.buffer, bytes.byteOffset + mark.length, bytes.length - mark.length);
  switch (encoding) {
    case "utf-8":
      return rest.includes(0) ? undefined : { encoding, byteOrderMark: true, text: decodeUtf8(rest) };
    case "utf-16le":
    case "utf-16be":
      if (rest.length % 2 !== 0) return undefined;
      return {
        encoding,
        byteOrderMark: true,
        text: (encoding === "utf-16be" ? Buffer.from(rest).swap16() : rest).toString("utf16le"),
      };
  }
}

export function encodeText(text: string, { encoding, byteOrderMark }: TextFormat): Uint8Array {
  const mark = byteOrderMark ? "\uFEFF" : "";
  switch (encoding) {
    case "utf-8":
      return encodeUtf8(mark + text);
    case "utf-16le":
      return Buffer.from(mark + text, "utf16le");
    case "utf-16be":
      return Buffer.from(mark + text, "utf16le").swap16();
  }
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return decodeWithEscapes(bytes);
  }
}

/** Each byte that is no part of UTF-8 becomes U+DC00 + byte, which no valid text contains. */
function decodeWithEscapes(bytes: Uint8Array): string {
  let text = "";
  let start = 0;
  for (let index = 0; index < bytes.length; ) {
    const length = sequenceLength(bytes, index);
    if (length > 0) {
      index += length;
      continue;
    }
    text += strict.decode(bytes.subarray(start, index)) + String.fromCharCode(0xdc00 + (bytes[index] ?? 0));
    index++;
    start = index;
  }
  return text + strict.decode(bytes.subarray(start));
}

/** Bytes of the valid UTF-8 sequence that starts here; 0 when none does. */
function sequenceLength(bytes: Uint8Array, index: number): number {
  const first = bytes[index] ?? 0;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || index + length > bytes.length) return 0;
  for (let offset = 1; offset < length; offset++) {
    if (((bytes[index + offset] ?? 0) & 0xc0) !== 0x80) return 0;
  }
  const second = bytes[index + 1] ?? 0;
  const overlong = (first === 0xe0 && second < 0xa0) || (first === 0xf0 && second < 0x90);
  const beyond = (first === 0xed && second > 0x9f) || (first === 0xf4 && second > 0x8f);
  return overlong || beyond ? 0 : length;
}

function encodeUtf8(text: string): Uint8Array {
  if (text.isWellFormed()) return Buffer.from(text, "utf8");
  const parts: Uint8Array[] = [];
  let start = 0;
  for (const { 0: escaped, index } of text.matchAll(/[\uDC80-\uDCFF]/g)) {
    // The second half of a pair is a character of its own text, not an escaped byte.
    if (isHighSurrogate(text.charCodeAt(index - 1))) continue;
    parts.push(Buffer.from(text.slice(start, index), "utf8"), Buffer.of(escaped.charCodeAt(0) - 0xdc00));
    start = index + 1;
  }
  parts.push(Buffer.from(text.slice(start), "utf8"));
  return Buffer.concat(parts);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
