import { describe, expect, it } from "vitest";
import { readListedTool } from "./listed-tool.ts";
import { usableSchema, withServerNames } from "./usable-schema.ts";

const properties = { a: { type: "string" }, b: { type: "number" } };

describe("the schema of a server's tool", () => {
  it("stays as it is where every provider takes it", () => {
    const schema = { type: "object", properties, required: ["a"], additionalProperties: false };
    expect(usableSchema(schema)).toEqual({ schema, note: "", renamed: new Map() });
  });

  it.each(["anyOf", "oneOf", "allOf", "not", "if"])(
    "says %s in words, because providers refuse it at the top",
    (key) => {
      const condition =
        key === "not" || key === "if" ? { required: ["a"] } : [{ required: ["a"] }, { required: ["b"] }];
      const { schema, note } = usableSchema({ type: "object", properties, [key]: condition });
      expect(schema).toEqual({ type: "object", properties });
      expect(note).toContain(`"${key}"`);
      expect(note).toContain('"required":["a"]');
    },
  );

  it("keeps what only an alternative names", () => {
    const { schema } = usableSchema({ type: "object", properties: { a: {} }, oneOf: [{ properties: { c: {} } }] });
    expect(schema).toEqual({ type: "object", properties: { a: {}, c: {} } });
  });

  it("keeps alternatives below the top", () => {
    const schema = { type: "object", properties: { a: { anyOf: [{ type: "string" }, { type: "null" }] } } };
    expect(usableSchema(schema).schema).toEqual(schema);
  });

  it("renames what no provider takes as a name, and sends the server its own", () => {
    const { schema, note, renamed } = usableSchema({
      type: "object",
      properties: { $filter: {}, _filter: {}, größe: {} },
      required: ["$filter"],
    });
    expect(schema).toEqual({
      type: "object",
      properties: { _filter2: {}, _filter: {}, gr_e: {} },
      required: ["_filter2"],
    });
    expect(note).toContain('_filter2 is the server\'s "$filter".');
    expect(withServerNames({ _filter2: 1, _filter: 2, gr_e: 3 }, renamed)).toEqual({
      $filter: 1,
      _filter: 2,
      größe: 3,
    });
  });

  it.each([null, [], "x", { type: "string" }, { properties: [] }, { type: "object", required: "a" }])(
    "allows everything in place of %j",
    (given) => expect(usableSchema(given).schema).toEqual({ type: "object", properties: {} }),
  );

  it("puts the words behind the tool's own description", () => {
    const tool = readListedTool({ name: "t", description: "Finds.", inputSchema: { type: "object", not: {} } });
    expect(tool?.description).toMatch(/^Finds\.\nThe input must also fit/);
  });
});
