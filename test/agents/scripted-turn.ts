// What the scripted model does with a prompt: its steps one after another, by how many results came back since the prompt.
import type { Reply, ScriptedToolCall } from "../support/model-server/script.ts";
import type { SeenRequest } from "../support/model-server/seen-request.ts";

export type Steps = readonly (ScriptedToolCall | string)[];

/** `turns` by a word of the prompt. Requests without tools are for titles and the like. */
export function scriptedTurns(turns: Readonly<Record<string, Steps>>): (request: SeenRequest) => Reply {
  return ({ messages, tools }) => {
    if (tools.length === 0) return { text: "A title" };
    const words = Object.keys(turns);
    const last = messages.findLastIndex(
      ({ role, text }) => role === "user" && words.some((word) => text.includes(word)),
    );
    // An agent may put a prompt that was cancelled and the next one into one message: the last one counts.
    const text = messages[last]?.text ?? "";
    const [word] = words
      .filter((each) => text.includes(each))
      .toSorted((a, b) => text.lastIndexOf(b) - text.lastIndexOf(a));
    if (word === undefined) return { text: "I do not know this prompt." };
    const results = messages.slice(last + 1).flatMap(({ toolResults = [] }) => toolResults).length;
    const step = turns[word]?.[results];
    if (step === undefined) return { text: "I have no step left." };
    return typeof step === "string" ? { text: step } : { toolCalls: [step] };
  };
}
