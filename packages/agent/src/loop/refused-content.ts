// Takes out of a history what a provider probably refused: first the newest images and PDFs, then the newest results of tools. Words stand in their place,
// so that the model knows, and the session goes on.
import type { ModelMessage, UserPart } from "../providers/model.ts";

interface Replacement {
  readonly messages: readonly ModelMessage[];
  /** Describes the removed content. */
  readonly what: string;
}

/** How much of the provider's own words the model gets. */
const maxReasonLength = 300;
const mark = "[Left out, because the provider refused the request with it: ";

/** Undefined when nothing is left to take out. What the user wrote is never changed; it is the prompt that fails. */
export function withoutRefused(messages: readonly ModelMessage[], reason: string): Replacement | undefined {
  const note: UserPart = { type: "text", text: `${mark}${reason.slice(0, maxReasonLength)}]` };
  return (
    replaceNewest(messages, "the newest image or PDF", (part) => (part.type === "text" ? part : note)) ??
    replaceNewest(messages, "the newest result of a tool", (part) =>
      part.type === "text" && part.text.startsWith(mark) ? part : note,
    )
  );
}

/** Changes the newest message with results in which something changes. */
function replaceNewest(
  messages: readonly ModelMessage[],
  what: string,
  replace: (part: UserPart) => UserPart,
): Replacement | undefined {
  const index = messages.findLastIndex(
    (message) =>
      message.role === "tool" && message.results.some(({ content }) => content.some((part) => replace(part) !== part)),
  );
  const message = messages[index];
  // Older results were accepted before: they are not the reason.
  if (message?.role !== "tool" || messages.slice(index + 1).some(({ role }) => role === "assistant")) return undefined;
  const results = message.results.map((result) => ({ ...result, content: result.content.map(replace) }));
  return { messages: messages.with(index, { role: "tool", results }), what };
}
