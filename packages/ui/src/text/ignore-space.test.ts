import { expect, it } from "vitest";
import { ignoreSpace } from "./ignore-space.ts";

const hunk = (...lines: string[]) => ({ old_start: 5, old_lines: 3, new_start: 5, new_lines: 3, lines });

it("shows a line that only moved to the right as unchanged", () => {
  expect(ignoreSpace([hunk(" a", "-b(c)", "+  b( c )", "-d", "+e")])).toEqual([hunk(" a", "   b( c )", "-d", "+e")]);
});

it("leaves out a hunk without another difference", () => {
  expect(ignoreSpace([hunk(" a", "-b", "+ b")])).toEqual([]);
});

it("keeps what has no partner, so that line numbers stay true", () => {
  const split = hunk("-a b", "+a", "+b", "+");
  expect(ignoreSpace([split])).toEqual([split]);
});
