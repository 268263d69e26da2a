import { describe, expect, it } from "vitest";
import { identifyBytes } from "./identify-bytes.ts";

const kindOf = (text: string) => identifyBytes(Buffer.from(text, "latin1"));

describe("bytes", () => {
  it.each([
    ["\x89PNG\r\n\x1a\n\0\0", "image/png"],
    ["\xff\xd8\xff\xe0", "image/jpeg"],
    ["GIF89a\x01", "image/gif"],
    ["RIFF\x01\x02\x03\x04WEBPVP8", "image/webp"],
  ])("%j are an image a model can see", (text, mimeType) => {
    expect(kindOf(text)).toEqual({ type: "image", mimeType });
  });

  it.each([
    ["\x7fELF\x02\x01", "an ELF program or library"],
    ["PK\x03\x04\x14", "a ZIP archive (or a file made of one: jar, docx, xlsx, apk)"],
    ["SQLite format 3\0", "a SQLite database"],
    ["abc\0def", "a binary file"],
    [`${"x".repeat(257)}ustar\0`, "a tar archive"],
  ])("%j have a name", (text, name) => {
    expect(kindOf(text)).toEqual({ type: "binary", name });
  });

  it("of a PDF are a PDF", () => {
    expect(kindOf("%PDF-1.7\n")).toEqual({ type: "pdf" });
  });

  it.each(["", "hello\n", "BMW is a car", "MZ: notes", "\x1b[31mred", "\xff\xfea\0b\0", "caf\xe9 in latin-1"])(
    "%j are text",
    (text) => {
      expect(kindOf(text)).toEqual({ type: "text" });
    },
  );
});
