import { expect, it } from "vitest";
import { otherChoices } from "./session-choices.ts";

const select = (id: string, category: string, currentValue: string, ...values: readonly string[]) => ({
  id,
  name: id,
  category,
  type: "select",
  currentValue,
  options: values.map((value) => ({ value, name: value.toUpperCase() })),
});

it("lists what else can be chosen, with the setting that chooses it", () => {
  const state: Parameters<typeof otherChoices>[0] = {
    modes: { availableModes: [{ id: "ask", name: "Ask" }, { id: "plan" }] },
    current_mode_id: "ask",
    config_options: [
      select("Model", "model", "a", "a", "b", "c"),
      select("Mode", "mode", "ask", "ask", "plan"),
      { id: "fast", name: "Fast", type: "boolean", currentValue: true },
    ],
  };
  const choices = otherChoices(state);
  expect(choices.map(({ name }) => name)).toEqual(["Mode: plan", "Model: B", "Model: C", "Fast: off"]);
  expect(choices.map(({ setting }) => setting)).toEqual([
    { mode_id: "plan" },
    { config_id: "Model", value: "b" },
    { config_id: "Model", value: "c" },
    { config_id: "fast", value: false },
  ]);
  expect(otherChoices({ modes: null, current_mode_id: null, config_options: null })).toEqual([]);
});
