import { formProblems } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { buildAnswers, readDefaults, readFields } from "./form-fields.ts";

const schema = {
  type: "object",
  required: ["name", "parts"],
  properties: {
    name: { type: "string", title: "Your name", description: "As it should be shown", minLength: 2 },
    mail: { type: "string", format: "email" },
    when: { type: "string", format: "date-time", default: "2026-03-01T09:30:00Z" },
    port: { type: "integer", minimum: 1, maximum: 65_535, default: 4280 },
    isPublic: { type: "boolean", default: true },
    size: {
      type: "string",
      oneOf: [
        { const: "s", title: "Small" },
        { const: "l", title: "Large" },
      ],
      default: "l",
    },
    parts: { type: "array", minItems: 1, items: { enum: ["api", "page"] } },
    later: { type: "something new" },
  },
};

describe("a form", () => {
  it("has a field for everything the agent asks", () => {
    expect(readFields(schema).map(({ name, label, type, isRequired }) => [name, label, type, isRequired])).toEqual([
      ["name", "Your name", "text", true],
      ["mail", "mail", "text", false],
      ["when", "when", "text", false],
      ["port", "port", "number", false],
      ["isPublic", "isPublic", "yes-no", false],
      ["size", "size", "choice", false],
      ["parts", "parts", "choices", true],
      ["later", "later", "text", false],
    ]);
  });

  it("begins with the agent's own values, and answers with what is filled in, in the types that were asked for", () => {
    const filled = new Map(readDefaults(schema)).set("name", "Ada").set("parts", ["api"]).set("port", "8080");
    const content = buildAnswers(readFields(schema), filled);
    expect(content).toEqual({
      name: "Ada",
      when: "2026-03-01T09:30:00.000Z",
      port: 8080,
      isPublic: true,
      size: "l",
      parts: ["api"],
    });
    expect(formProblems(schema, content)).toEqual([]);
  });

  it("leaves out what is empty, so that what is required is missed", () => {
    const content = buildAnswers(readFields(schema), readDefaults(schema));
    expect(formProblems(schema, content).map(({ field }) => field)).toEqual(["name", "parts"]);
  });

  it("of an agent that sends nonsense has no fields", () => {
    expect([null, [], "x", { properties: { a: 1 } }].map((nonsense) => readFields(nonsense).length)).toEqual([
      0, 0, 0, 0,
    ]);
  });
});
