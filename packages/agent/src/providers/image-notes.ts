// Gives words in place of images to a model that does not see them: most of these refuse the whole request.
import type { Model, ModelMessage, UserPart } from "./model.ts";

export function withoutUnseenImages(model: Model): Model {
  if (model.facts.seesImages !== false) return model;
  const note = { type: "text", text: `[An image was left out: ${model.name} does not see images.]` } as const;
  return {
    ...model,
    stream: (request, signal) =>
      model.stream({ ...request, messages: request.messages.map((message) => withText(message, note)) }, signal),
  };
}

function withText(message: ModelMessage, note: UserPart): ModelMessage {
  const replaced = (content: readonly UserPart[]) => content.map((part) => (part.type === "image" ? note : part));
  switch (message.role) {
    case "user":
      return { ...message, content: replaced(message.content) };
    case "tool":
      return {
        ...message,
        results: message.results.map((result) => ({ ...result, content: replaced(result.content) })),
      };
    case "assistant":
      return message;
  }
}
