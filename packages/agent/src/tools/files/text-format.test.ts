import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeText, encodeText } from "./text-format.ts";

const bytesOf = (text: string) => Uint8Array.from(Buffer.from(text));

describe("text on disk", () => {
  it("comes back byte for byte, whatever the bytes are", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const decoded = decodeText(bytes);
        if (decoded === undefined) return true;
        expect(Buffer.from(encodeText(decoded.text, decoded))).toEqual(Buffer.from(bytes));
      }),
      { numRuns: 2000 },
    );
  });

  it("comes back byte for byte where it is nearly UTF-8", () => {
    const nearly = fc.array(
      fc.constantFrom(0x41, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xed, 0xa0, 0xb2, 0xff, 0xc0),
    );
    fc.assert(
      fc.property(nearly, (values) => {
        const bytes = Uint8Array.from(values);
        const decoded = decodeText(bytes);
        if (decoded === undefined) return true;
        expect(Buffer.from(encodeText(decoded.text, decoded))).toEqual(Buffer.from(bytes));
      }),
      { numRuns: 5000 },
    );
  });

  it("keeps the byte order mark out of the text", () => {
    const decoded = decodeText(Uint8Array.from([0xef, 0xbb, 0xbf, 0x61]));
    expect(decoded).toEqual({ encoding: "utf-8", byteOrderMark: true, text: "a" });
  });

  it.each(["utf-16le", "utf-16be"] as const)("reads and writes %s", (encoding) => {
    const bytes = encodeText("a é 😀\r\n", { encoding, byteOrderMark: true });
    expect(decodeText(bytes)).toEqual({ encoding, byteOrderMark: true, text: "a é 😀\r\n" });
  });

  it("is not text with a NUL byte in it", () => {
    expect(decodeText(bytesOf("a\0b"))).toBeUndefined();
  });

  it("reads characters of every length as they are", () => {
    expect(decodeText(bytesOf("a é € 😀"))?.text).toBe("a é € 😀");
  });

  it("keeps a bad byte beside good characters", () => {
    const bytes = Uint8Array.from([...bytesOf("é"), 0xff, ...bytesOf("€")]);
    const decoded = decodeText(bytes);
    expect(decoded?.text.toWellFormed()).toBe("é\uFFFD€");
  });
});
