// Implements AskUserQuestion, with which Claude lets the person choose. A client that shows forms gets one form with all questions. Any other
// client gets each question as a permission question, because every client can show those.
import type { ElicitationSchema, PermissionOption } from "@agentclientprotocol/sdk";
import { readFields, readList, readText } from "../sdk/json.ts";

interface Question {
  readonly text: string;
  readonly choices: readonly { readonly label: string; readonly description: string }[];
  readonly takesSeveral: boolean;
}

export function readQuestions(input: Readonly<Record<string, unknown>>): readonly Question[] {
  return readList(input.questions).flatMap((value) => {
    const { question, options, multiSelect } = readFields(value);
    const text = readText(question);
    const choices = readList(options).flatMap((option) => {
      const { label, description } = readFields(option);
      return typeof label === "string" ? [{ label, description: readText(description) ?? "" }] : [];
    });
    return text === null || choices.length === 0 ? [] : [{ text, choices, takesSeveral: multiSelect === true }];
  });
}

export function questionForm(questions: readonly Question[]): ElicitationSchema {
  const properties = questions.map(({ text: title, choices, takesSeveral }, index) => {
    const offered = choices.map(({ label, description }) => ({ const: label, title: label, description }));
    const property = takesSeveral
      ? { type: "array", title, items: { anyOf: offered }, minItems: 1 }
      : { type: "string", title, oneOf: offered };
    return [nameField(index), property] as const;
  });
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: properties.map(([name]) => name),
  };
}

/** By the question, as Claude Code wants them; null when one is missing. */
export function formAnswers(
  questions: readonly Question[],
  content: Readonly<Record<string, unknown>>,
): Record<string, string> | null {
  const answers: Record<string, string> = {};
  for (const [index, { text }] of questions.entries()) {
    const value = content[nameField(index)];
    const answer = Array.isArray(value) ? value.join(", ") : value;
    if (typeof answer !== "string" || answer === "") return null;
    answers[text] = answer;
  }
  return answers;
}

export function questionOptions({ choices }: Question): PermissionOption[] {
  const offered = choices.map(({ label: name }, index) => ({
    optionId: nameField(index),
    name,
    kind: "allow_once" as const,
  }));
  return [...offered, { optionId: "reject_once", name: "Do not answer", kind: "reject_once" }];
}

/** The answer that an option stands for; null for declining. */
export function optionAnswer({ choices }: Question, optionId: string | null): string | null {
  return choices.find((_, index) => nameField(index) === optionId)?.label ?? null;
}

function nameField(index: number): string {
  return `answer_${index + 1}`;
}
