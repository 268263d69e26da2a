import { expect, it } from "vitest";
import { composeCommentPrompt } from "./comment-prompt.ts";

it("sends all comments as one prompt, by file and line, with the line itself", () => {
  const comments = [
    { path: "b.ts", line: 3, quote: "  retry();", text: "Why?" },
    { path: "a.ts", line: 20, quote: "x", text: " Too long. " },
    { path: "a.ts", line: 4, quote: "y", text: "Rename it." },
  ];
  expect(composeCommentPrompt(comments)).toBe(
    "Comments on your changes:\n\na.ts:4\n> y\n\nRename it.\n\na.ts:20\n> x\n\nToo long.\n\nb.ts:3\n>   retry();\n\nWhy?",
  );
});
