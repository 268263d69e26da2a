import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseInput } from "./parse-input.ts";

const schema = z.object({
  path: z.string(),
  line: z.int().optional(),
  background: z.boolean().optional(),
  edits: z.array(z.object({ old: z.string(), count: z.number().optional() })).optional(),
});

describe("the input of a tool", () => {
  it.each([
    [
      { path: "a", line: "10" },
      { path: "a", line: 10 },
    ],
    [
      { path: "a", background: "true" },
      { path: "a", background: true },
    ],
    [
      { path: "a", background: "False" },
      { path: "a", background: false },
    ],
    [
      { path: "a", edits: '[{"old":"x"}]' },
      { path: "a", edits: [{ old: "x" }] },
    ],
    [
      { path: "a", edits: [{ old: "x", count: "2" }] },
      { path: "a", edits: [{ old: "x", count: 2 }] },
    ],
    [JSON.stringify({ path: "a" }), { path: "a" }],
  ])("takes %j as what is meant, for the tool and for the decision", (sent, meant) => {
    expect(parseInput(schema, sent)).toEqual({ success: true, data: meant, input: meant });
  });

  it.each([
    [{ path: 5 }],
    [{ path: "a", line: "ten" }],
    [{ path: "a", line: "1.5" }],
    [{ path: "a", edits: "no" }],
    [null],
  ])("refuses %j, with what is wrong as it was sent", (sent) =>
    expect(parseInput(schema, sent)).toEqual({ success: false, error: schema.safeParse(sent).error }),
  );

  it("leaves text alone that looks like a number", () => {
    expect(parseInput(schema, { path: "10" })).toMatchObject({ data: { path: "10" } });
  });
});
