// Converts our messages to those of Ollama's chat API. It has no ids: results follow their calls in order and carry the tool's name.
import type { ModelMessage, ModelTool, ToolResultPart, UserPart } from "../model.ts";

interface OllamaMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
  readonly images?: readonly string[];
  readonly thinking?: string;
  readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: unknown } }[];
  readonly tool_name?: string;
}

export function ollamaMessages(
  system: string,
  messages: readonly ModelMessage[],
  origin: string,
): readonly OllamaMessage[] {
  const head: OllamaMessage[] = system === "" ? [] : [{ role: "system", content: system }];
  return [...head, ...messages.flatMap((message) => converted(message, origin))];
}

export function ollamaTools(tools: readonly ModelTool[]): readonly unknown[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema },
  }));
}

function converted(message: ModelMessage, origin: string): OllamaMessage[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: joinText(message.content), ...withImages(message.content) }];
    case "assistant": {
      const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
      const thinking = message.content.map((part) => (part.type === "reasoning" ? part.text : "")).join("");
      const calls = message.content.filter((part) => part.type === "tool_call");
      return [
        {
          role: "assistant",
          content: text,
          ...(thinking !== "" && message.origin === origin && { thinking }),
          ...(calls.length > 0 && {
            tool_calls: calls.map(({ name, input }) => ({ function: { name, arguments: input } })),
          }),
        },
      ];
    }
    case "tool":
      return message.results.flatMap(toolMessages);
  }
}

function toolMessages({ name, content }: ToolResultPart): OllamaMessage[] {
  const result: OllamaMessage = { role: "tool", tool_name: name, content: joinText(content) };
  const images = withImages(content);
  // Only a user's message can have images.
  return images === undefined ? [result] : [result, { role: "user", content: `[what ${name} returned]`, ...images }];
}

function joinText(parts: readonly UserPart[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function withImages(parts: readonly UserPart[]): { images: readonly string[] } | undefined {
  const images = parts.flatMap((part) => (part.type === "image" ? [part.data] : []));
  return images.length === 0 ? undefined : { images };
}
