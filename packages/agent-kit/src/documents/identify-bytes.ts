// Identifies a file by its first bytes: text, an image that a model can see, a PDF, or another format with a name.

type BytesKind =
  | { readonly type: "text" }
  | { readonly type: "image"; readonly mimeType: string }
  | { readonly type: "pdf" }
  | { readonly type: "binary"; readonly name: string };

/** Names the kind of file, for a person or a model. */
export function describeBytes(kind: BytesKind): string {
  switch (kind.type) {
    case "text":
      return "text";
    case "image":
      return `an image (${kind.mimeType})`;
    case "pdf":
      return "a PDF document";
    case "binary":
      return kind.name;
  }
}

/** The bytes at an offset that identify a kind of file. */
type Sign = readonly [what: string, offset: number, bytes: string];

/** Image formats that models accept. */
const images: readonly Sign[] = [
  ["image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/gif", 0, "GIF87a"],
  ["image/gif", 0, "GIF89a"],
  ["image/webp", 8, "WEBP"],
];

const others: readonly Sign[] = [
  ["a ZIP archive (or a file made of one: jar, docx, xlsx, apk)", 0, "PK\x03\x04"],
  ["an empty ZIP archive", 0, "PK\x05\x06"],
  ["a gzip archive", 0, "\x1f\x8b"],
  ["a bzip2 archive", 0, "BZh"],
  ["an xz archive", 0, "\xfd7zXZ\0"],
  ["a zstd archive", 0, "\x28\xb5\x2f\xfd"],
  ["a 7z archive", 0, "7z\xbc\xaf\x27\x1c"],
  ["a tar archive", 257, "ustar"],
  ["an ELF program or library", 0, "\x7fELF"],
  ["a Windows program or library", 0, "MZ"],
  ["a macOS program or library", 0, "\xcf\xfa\xed\xfe"],
  ["a macOS program or library", 0, "\xce\xfa\xed\xfe"],
  ["a Java class or a macOS program", 0, "\xca\xfe\xba\xbe"],
  ["a WebAssembly module", 0, "\0asm"],
  ["a SQLite database", 0, "SQLite format 3\0"],
  ["a BMP image", 0, "BM"],
  ["a TIFF image", 0, "II*\0"],
  ["a TIFF image", 0, "MM\0*"],
  ["an icon", 0, "\0\0\x01\0"],
  ["an AVIF image", 4, "ftypavif"],
  ["a HEIC image", 4, "ftypheic"],
  ["an MP4 or QuickTime video", 4, "ftyp"],
  ["a Matroska or WebM video", 0, "\x1a\x45\xdf\xa3"],
  ["an Ogg file", 0, "OggS"],
  ["an MP3 file", 0, "ID3"],
  ["a WAV file", 8, "WAVE"],
  ["a WOFF font", 0, "wOFF"],
  ["a WOFF2 font", 0, "wOF2"],
  ["a TrueType font", 0, "\0\x01\0\0"],
  ["an OpenType font", 0, "OTTO"],
  ["a git pack", 0, "PACK"],
];

/** Bytes that are enough to tell. */
export const identifyingBytes = 4096;

export function identifyBytes(bytes: Uint8Array): BytesKind {
  const begin = bytes.subarray(0, identifyingBytes);
  const letters = Buffer.from(begin).toString("latin1");
  const fits = ([, offset, sign]: Sign) => letters.startsWith(sign, offset);
  const image = images.find(fits);
  if (image !== undefined) return { type: "image", mimeType: image[0] };
  if (letters.startsWith("%PDF-")) return { type: "pdf" };
  if (/^(?:\xff\xfe|\xfe\xff)/.test(letters)) return { type: "text" };
  const [name = "a binary file"] = others.find(fits) ?? [];
  // A text may begin with `BM` or `MZ`; bytes that no text has decide.
  return hasControl(begin) ? { type: "binary", name } : { type: "text" };
}

/** Control characters other than those that texts use (tab, line feed, form feed, carriage return, escape). */
function hasControl(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte < 0x09 || byte === 0x0b || (byte > 0x0d && byte < 0x20 && byte !== 0x1b));
}
