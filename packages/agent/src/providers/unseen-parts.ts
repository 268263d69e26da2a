// Gives words in place of images and PDFs to a model that does not see them: most of these refuse the whole request. Another model may have
// been given them earlier in the session.
import { howToSeePdf } from "@signalbox/agent-kit";
import type { Model, ModelMessage, UserPart } from "./model.ts";

export function withoutUnseen(model: Model): Model {
  const { name, facts, readsPdfs = false } = model;
  const seesImages = facts.seesImages !== false;
  if (seesImages && readsPdfs) return model;
  const isSeen = ({ type }: UserPart) => type === "text" || (type === "image" ? seesImages : readsPdfs);
  const words = (part: UserPart): UserPart => {
    if (isSeen(part)) return part;
    const text =
      part.type === "pdf" ? unseenPdf(part.name, name) : `[An image was left out: ${name} does not see images.]`;
    return { type: "text", text };
  };
  // A message never changes, and each request has all of the session.
  const seen = new WeakSet<ModelMessage>();
  const isAllOfItSeen = (message: ModelMessage) => {
    if (seen.has(message)) return true;
    if (!contents(message).every((content) => content.every(isSeen))) return false;
    seen.add(message);
    return true;
  };
  return {
    ...model,
    stream: (request, signal) => {
      const { messages } = request;
      const isAllSeen = messages.every(isAllOfItSeen);
      return model.stream(
        isAllSeen ? request : { ...request, messages: messages.map((message) => replaced(message, words)) },
        signal,
      );
    },
  };
}

function contents(message: ModelMessage): readonly (readonly UserPart[])[] {
  switch (message.role) {
    case "user":
      return [message.content];
    case "tool":
      return message.results.map(({ content }) => content);
    case "assistant":
      return [];
  }
}

function replaced(message: ModelMessage, replace: (part: UserPart) => UserPart): ModelMessage {
  switch (message.role) {
    case "user":
      return { ...message, content: message.content.map(replace) };
    case "tool":
      return {
        ...message,
        results: message.results.map((result) => ({ ...result, content: result.content.map(replace) })),
      };
    case "assistant":
      return message;
  }
}

export function unseenPdf(name: string, model: string): string {
  return `[The pages of ${name} were left out: ${model} sees no PDFs. ${howToSeePdf(name)}]`;
}
