// Estimates how many tokens a text or a message has, until the provider has counted them.
import type { ModelMessage, ToolResultPart, UserPart } from "../providers/model.ts";

export const charactersPerToken = 4;
const tokensPerImage = 1500;
const tokensPerPage = 2000;

export function estimateText(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}

export function estimateTokens(message: ModelMessage): number {
  switch (message.role) {
    case "user":
      return sum(message.content, estimatePart);
    case "tool":
      return sum(message.results, (result: ToolResultPart) => sum(result.content, estimatePart));
    case "assistant":
      return sum(message.content, (part) =>
        estimateText(part.type === "tool_call" ? part.name + JSON.stringify(part.input) : part.text),
      );
  }
}

function estimatePart(part: UserPart): number {
  switch (part.type) {
    case "text":
      return estimateText(part.text);
    case "image":
      return tokensPerImage;
    case "pdf":
      return part.pages === undefined ? tokensPerPage : (part.pages.last - part.pages.first + 1) * tokensPerPage;
  }
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
