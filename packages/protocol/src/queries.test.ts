import { describe, expect, it } from "vitest";
import { parseQuery } from "./queries.ts";

describe("the arguments of a query", () => {
  it.each([
    ["timeline.list", {}],
    ["search", {}],
    ["threads.list", { limit: "all" }],
    ["threads.list", { limit: -1 }],
    ["elicitations.list", { status: "perhaps" }],
    ["stats", { group_by: ["color"] }],
    ["stats", { utc_offset_minutes: 100_000 }],
    ["blob.get", { hash: 3 }],
  ] as const)("of %s are refused when they are %o", (name, args) => {
    expect(() => parseQuery(name, args)).toThrow();
  });

  it("may be null where they may be missing, and more than is known", () => {
    const args = { limit: 5, cursor: null, agent_id: "demo", color: "red" };
    expect(parseQuery("threads.list", args)).toEqual({
      name: "threads.list",
      args: { limit: 5, cursor: null, agent_id: "demo" },
    });
  });
});
