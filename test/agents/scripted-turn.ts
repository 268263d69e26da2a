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
    const word = words.find((each) => messages[last]?.text.includes(each));
    if (word === undefined) return { text: "I do not know this prompt." };
    const results = messages.slice(last + 1).flatMap(({ toolResults = [] }) => toolResults).length;
    const step = turns[word]?.[results];
    if (step === undefined) return { text: "I have no step left." };
    return typeof step === "string" ? { text: step } : { toolCalls: [step] };
  };
}
