import { expect, it } from "vitest";
import { guessKeyVariable } from "./key-form.tsx";

const keys = [
  { variable: "OPENAI_API_KEY", label: "OpenAI", key_prefix: "sk-" },
  { variable: "WORK_KEY", label: "Anthropic", key_prefix: "sk-ant-" },
  { variable: "GEMINI_API_KEY", label: "Gemini", key_prefix: "AIza" },
  { variable: "GOOGLE_API_KEY", label: "Gemini", key_prefix: "AIza" },
  { variable: "OTHER_KEY", label: "Other", key_prefix: null },
];

it.each([
  ["sk-ant-1", "WORK_KEY"],
  ["sk-1", "OPENAI_API_KEY"],
  ["AIza1", "GEMINI_API_KEY"],
  ["1", undefined],
])("finds the variable of %s: %s", (key, variable) => {
  expect(guessKeyVariable(key, keys)).toBe(variable);
});
