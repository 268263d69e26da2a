import { describe, expect, it } from "vitest";
import { formOptions, formProblems } from "./elicitation-form.ts";
import type { Json, JsonObject } from "./json.ts";

const schema = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 2, maxLength: 4 },
    port: { type: "integer", minimum: 1, maximum: 65535 },
    share: { type: "number", maximum: 1 },
    agree: { type: "boolean" },
    colour: {
      type: "string",
      oneOf: [
        { const: "r", title: "Red" },
        { const: "g", title: "Green" },
      ],
    },
    size: { type: "string", enum: ["s", "m"] },
    extras: { type: "array", minItems: 1, maxItems: 2, items: { type: "string", enum: ["a", "b", "c"] } },
    mail: { type: "string", format: "email" },
    page: { type: "string", format: "uri" },
    day: { type: "string", format: "date" },
    moment: { type: "string", format: "date-time" },
    code: { type: "string", pattern: "^[a-z]+$" },
    newer: { type: "_hologram" },
  },
  required: ["name"],
} satisfies Json;

const fine: JsonObject = {
  name: "Ada",
  port: 80,
  share: 0.5,
  agree: false,
  colour: "g",
  size: "m",
  extras: ["a", "c"],
  mail: "a@b",
  page: "https://example.com",
  day: "2024-02-29",
  moment: "2024-02-29T10:00:00.5+01:00",
  code: "abc",
  newer: "anything",
};

describe("the answers to a form", () => {
  it("that fit have no problem", () => {
    expect(formProblems(schema, fine, (pattern, text) => new RegExp(pattern).test(text))).toEqual([]);
    expect(formProblems({ type: "object" }, {})).toEqual([]);
    expect(formProblems(null, {})).toEqual([]);
  });

  it.each<[string, Json, RegExp]>([
    ["name", "A", /at least 2 characters/],
    ["name", "Adele", /at most 4 characters/],
    ["name", 5, /must be a text/],
    ["port", 1.5, /whole number/],
    ["port", "80", /whole number/],
    ["port", 0, /at least 1/],
    ["share", 2, /at most 1/],
    ["agree", "yes", /true or false/],
    ["colour", "Green", /one of r, g/],
    ["size", "xl", /one of s, m/],
    ["extras", [], /at least 1/],
    ["extras", ["a", "b", "c"], /at most 2/],
    ["extras", ["z"], /z is not one of the choices/],
    ["extras", "a", /list of choices/],
    ["mail", "no address", /e-mail/],
    ["page", "example", /address such as/],
    ["day", "2023-02-29", /a date/],
    ["day", "tomorrow", /a date/],
    ["moment", "2024-02-29", /date and time/],
    ["code", "ABC", /must match/],
    ["newer", { deep: true }, /a text, a number/],
    ["newer", null, /a text, a number/],
    ["unasked", 1, /did not ask/],
    ["toString", 1, /did not ask/],
  ])("%s: %j has a problem in plain words", (field, value, expected) => {
    const problems = formProblems(schema, { name: "Ada", [field]: value }, (pattern, text) =>
      new RegExp(pattern).test(text),
    );
    expect(problems).toEqual([{ field, message: expect.stringMatching(expected) }]);
  });

  it("must have what is required", () => {
    expect(formProblems(schema, {})).toEqual([{ field: "name", message: "This is required." }]);
  });

  it("are counted as a person counts characters", () => {
    expect(formProblems(schema, { name: "👍👍" })).toEqual([]);
    expect(formProblems(schema, { name: "👍" })).toHaveLength(1);
  });
});

describe("what may be chosen", () => {
  it("has the agent's titles where it gave some, and is null where there is no choice", () => {
    const { colour, size, extras, name } = schema.properties;
    expect(formOptions(colour)).toEqual([
      { value: "r", title: "Red" },
      { value: "g", title: "Green" },
    ]);
    expect(formOptions(size)).toEqual([
      { value: "s", title: "s" },
      { value: "m", title: "m" },
    ]);
    expect(formOptions(extras)).toHaveLength(3);
    expect(formOptions({ type: "array", items: { anyOf: [{ const: "x", title: "X" }] } })).toEqual([
      { value: "x", title: "X" },
    ]);
    expect(formOptions(name)).toBeNull();
  });
});
