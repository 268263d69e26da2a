// AskUserQuestion: Claude asks the person to choose. ACP has one way to offer a choice, the question for leave, so each of Claude's questions becomes one.
import type { PermissionOption } from "@agentclientprotocol/sdk";
import { fieldsOf, listOf, textIn } from "../sdk/json.ts";

export interface Question {
  readonly text: string;
  readonly options: PermissionOption[];
  /** The answer that an option stands for; null for declining. */
  answerOf(optionId: string | null): string | null;
}

export function questionsIn(input: Readonly<Record<string, unknown>>): readonly Question[] {
  return listOf(input.questions).flatMap((value) => {
    const { question, options } = fieldsOf(value);
    const text = textIn(question);
    const labels = listOf(options).flatMap((option) => textIn(fieldsOf(option).label) ?? []);
    if (text === null || labels.length === 0) return [];
    const offered = labels.map((label, index) => ({
      optionId: `answer_${index}`,
      name: label,
      kind: "allow_once" as const,
    }));
    return [
      {
        text,
        options: [...offered, { optionId: "reject_once", name: "Do not answer", kind: "reject_once" as const }],
        answerOf: (optionId: string | null) => labels[offered.findIndex((each) => each.optionId === optionId)] ?? null,
      },
    ];
  });
}
