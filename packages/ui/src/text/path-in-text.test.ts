// Tests what is taken for a path in a text.
import { expect, it } from "vitest";
import { pathInText } from "./path-in-text.ts";

it.each([
  ["src/a.ts", { path: "src/a.ts" }],
  ["src/a.ts:12", { path: "src/a.ts", line: 12 }],
  ["src/a.ts:12:5", { path: "src/a.ts", line: 12 }],
  ["src/a.ts#L12-L20", { path: "src/a.ts", line: 12 }],
  ["/home/me/app/[id]/page.tsx:3-9", { path: "/home/me/app/[id]/page.tsx", line: 3 }],
  ["README.md", { path: "README.md" }],
  ["./run", { path: "./run" }],
  [".gitignore", { path: ".gitignore" }],
  ["Makefile", { path: "Makefile" }],
  ["bin/run", { path: "bin/run" }],
])("%s is a path", (text, path) => {
  expect(pathInText(text)).toEqual(path);
});

it.each([
  "word",
  "npm test",
  "https://example.org/a.ts",
  "//example.org/a.ts",
  "-x.ts",
  "@scope/name",
  "a=b.ts",
  "$HOME/a.ts",
  "src/",
  "src/**/*.ts",
  "#anchor",
  "",
  "x".repeat(500),
])("%j is none", (text) => {
  expect(pathInText(text)).toBeNull();
});
