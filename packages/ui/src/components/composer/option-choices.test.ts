import { describe, expect, it } from "vitest";
import { readModes, readOptions } from "./option-choices.ts";

describe("what an agent offers", () => {
  it("has modes, plain or wrapped", () => {
    const ask = { id: "ask", name: "Ask" };
    expect(readModes({ currentModeId: "ask", availableModes: [ask, { name: "no id" }] })).toEqual([ask]);
    expect(readModes([{ id: "code" }])).toEqual([{ id: "code", name: "code" }]);
    expect(readModes(null)).toEqual([]);
  });

  it("has options with flat or grouped choices, with a label where it is needed, and its mode only once", () => {
    const options = [
      { id: "mode", category: "mode", type: "select", currentValue: "a", options: [{ value: "a", name: "A" }] },
      {
        id: "model",
        name: "Model",
        category: "model",
        type: "select",
        currentValue: "big",
        options: [{ group: "g", name: "Group", options: [{ value: "big", name: "Big", description: "1M tokens" }] }],
      },
      { id: "think", name: "Think", type: "boolean", currentValue: true },
      "nonsense",
    ];
    expect(readOptions(options, { withoutMode: true })).toEqual([
      {
        id: "model",
        name: "Model",
        description: "",
        isNamed: false,
        type: "select",
        value: "big",
        choices: [{ value: "big", name: "Big", description: "1M tokens" }],
      },
      { id: "think", name: "Think", description: "", isNamed: true, type: "boolean", value: true },
    ]);
  });
});
