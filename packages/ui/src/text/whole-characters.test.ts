import { expect, it } from "vitest";
import { wholeCharacters } from "./whole-characters.ts";

it("gives a text without loss when it is read in parts from both ends, whatever the parts are", () => {
  const text = "aé€😀z".repeat(5);
  const bytes = new TextEncoder().encode(text);
  for (let size = 4; size < bytes.length; size++) {
    let front = "";
    for (let at = 0; at < bytes.length; ) {
      const end = Math.min(bytes.length, at + size);
      const part = wholeCharacters(bytes.subarray(at, end), { begins: true, ends: end === bytes.length });
      front += part.text;
      at = end - part.after;
    }
    expect(front).toBe(text);
    let back = "";
    for (let end = bytes.length; end > 0; ) {
      const at = Math.max(0, end - size);
      const part = wholeCharacters(bytes.subarray(at, end), { begins: at === 0, ends: true });
      back = part.text + back;
      end = at + part.before;
    }
    expect(back).toBe(text);
  }
});

it("shows bytes that are no text, and does not wait for more of them", () => {
  const bytes = new Uint8Array([0x80, 0x80, 0x80, 0x80, 0xff]);
  expect(wholeCharacters(bytes, { begins: false, ends: false })).toEqual({ text: "��", before: 3, after: 0 });
});
