import { array, assert, integer, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { OutputReader } from "./new-output.ts";

const whole = (output: string) => ({ output, truncated: false });
const tail = (output: string) => ({ output, truncated: true });

describe("only what is new", () => {
  it("is everything, then what was added, then nothing", () => {
    const reader = new OutputReader();
    expect(reader.next(whole("one\n"))).toEqual({ text: "one\n", hasGap: false });
    expect(reader.next(whole("one\ntwo\n"))).toEqual({ text: "two\n", hasGap: false });
    expect(reader.next(whole("one\ntwo\n"))).toEqual({ text: "", hasGap: false });
  });

  it("goes on where the terminal drops the beginning", () => {
    const reader = new OutputReader();
    reader.next(whole("abcdef"));
    expect(reader.next(tail("cdefgh"))).toEqual({ text: "gh", hasGap: false });
    expect(reader.next(tail("efghij"))).toEqual({ text: "ij", hasGap: false });
  });

  it("says when something between is lost", () => {
    const reader = new OutputReader();
    reader.next(whole("abc"));
    expect(reader.next(tail("xyz"))).toEqual({ text: "xyz", hasGap: true });
    expect(new OutputReader().next(tail("late"))).toEqual({ text: "late", hasGap: true });
  });

  it("adds up to all that was printed, as long as the terminal keeps enough", () => {
    const line = string({ minLength: 1, maxLength: 8 });
    assert(
      property(array(line, { maxLength: 20 }), integer({ min: 1, max: 4 }), (lines, step) => {
        // Numbered, so that no piece looks like another.
        const pieces = lines.map((each, index) => `${index}:${each}\n`);
        const reader = new OutputReader();
        let told = "";
        for (let end = 0; end < pieces.length + step; end += step) {
          const all = pieces.slice(0, end).join("");
          const kept = all.slice(-200);
          told += reader.next({ output: kept, truncated: kept !== all }).text;
        }
        expect(told).toBe(pieces.join(""));
      }),
    );
  });
});
