// Titles, and messages of commits made from them.
import { describe, expect, it } from "vitest";
import { makeCommitMessage, makeForkTitle, makeTitle } from "./titles.ts";

const long = "Uploads fail when the network drops for a moment. Make src/upload.ts retry with a growing pause";

describe("the title of a thread", () => {
  it("is the first line of the prompt", () => expect(makeTitle("\n Fix it \nnow")).toBe("Fix it"));
  it("is cut between words, with a mark", () =>
    expect(makeTitle(long)).toBe("Uploads fail when the network drops for a moment. Make src/upload.ts retry with…"));
  it("is cut inside a word that is too long, but never inside a character", () => {
    expect(makeTitle("x".repeat(100))).toBe(`${"x".repeat(79)}…`);
    expect(makeTitle(`${"x".repeat(78)}😀😀`)).toBe(`${"x".repeat(78)}…`);
  });
  it("has at most 80 characters", () => {
    for (let length = 60; length < 100; length++)
      expect(makeTitle(long.slice(0, length)).length).toBeLessThanOrEqual(80);
  });
});

describe("the message of a commit", () => {
  it("is the title where that is short", () => expect(makeCommitMessage("Fix it")).toBe("Fix it"));
  it("is a subject of at most 72 characters, and the title as its body", () => {
    const [subject = "", ...body] = makeCommitMessage(makeTitle(long)).split("\n");
    expect(subject).toBe("Uploads fail when the network drops for a moment. Make src/upload.ts");
    expect(body).toEqual(["", makeTitle(long)]);
  });
});

describe("the title of a fork", () => {
  it.each([
    ["Fix it", [], "Fix it · 2"],
    ["Fix it", ["Fix it", "Fix it · 2"], "Fix it · 3"],
    ["Fix it · 2", ["Fix it · 2"], "Fix it · 3"],
    ["Fix it", ["Fix it too · 7"], "Fix it · 2"],
  ])("of %j beside %j is %j", (title, others, expected) => expect(makeForkTitle(title, others)).toBe(expected));
});
