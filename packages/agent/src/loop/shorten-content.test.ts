import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rounds } from "../../../../test/support/rounds.ts";
import { shortenContent } from "./shorten-content.ts";

const text = (value: string) => ({ type: "text", text: value }) as const;
const image = { type: "image", data: "", mimeType: "image/png" } as const;
const long = { outputLimit: 1000, keepsBothEnds: true };

describe("a long output", () => {
  it("keeps whole lines of both ends, and says where all of it is", async () => {
    const lines = Array.from({ length: 2000 }, (_, index) => `line ${index}`);
    let kept = "";
    const [part, ...others] = await shortenContent([text(lines.join("\n")), image], long, async (whole) => {
      kept = whole;
      return "/outputs/1.txt";
    });
    const shown = part?.type === "text" ? part.text.split("\n") : [];
    const note = shown.findIndex((line) => line.startsWith("["));
    const last = shown.slice(note + 1);
    expect(shown.slice(0, note)).toEqual(lines.slice(0, note));
    expect(last).toEqual(lines.slice(-last.length));
    const leftOut = lines.slice(note, lines.length - last.length);
    expect(shown[note]).toContain(`(${leftOut.length + 2} lines)`);
    expect(shown[note]).toContain("/outputs/1.txt");
    expect(kept).toBe(lines.join("\n"));
    expect(others).toEqual([image]);
  });

  it("says when it could not be kept", async () => {
    const [part] = await shortenContent([text("x".repeat(5000))], long, async () => undefined);
    expect(part?.type === "text" && part.text).toContain("could not be kept");
  });

  it("is never longer than the limit and its note, is well formed, and is left alone when it is short", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: "binary", maxLength: 300 }), { maxLength: 40 }), async (parts) => {
        const content = parts.map(text);
        const shown = await shortenContent(content, long, async () => "/f");
        const all = shown.map((part) => (part.type === "text" ? part.text : "")).join("\n");
        if (parts.join("\n").length <= 1000) expect(shown).toEqual(content);
        else expect(all.length).toBeLessThanOrEqual(1200);
        if (shown !== content) expect(all.isWellFormed()).toBe(true);
      }),
      { numRuns: rounds({ some: 50, all: 200 }) },
    );
  });
});
