// Converts our messages to those of the AI SDK. What only one provider needs is added by that provider.
import type { LanguageModelV4FilePart, LanguageModelV4Message, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import type { AssistantPart, ModelMessage, ToolResultPart, UserPart } from "./model.ts";

type Assistant = Extract<LanguageModelV4Message, { role: "assistant" }>;
type ProviderOptions = NonNullable<LanguageModelV4Message["providerOptions"]>;

interface PromptOptions {
  /** The model that gets the prompt. Thoughts and signatures of other models are left out. */
  readonly origin: string;
  /** Where a provider accepts no images and PDFs in a tool's result, they follow in a user's message. */
  readonly imagesInToolResults: boolean;
  /** Where a package would send a failed result as JSON in a string, it is sent as the text it is. */
  readonly failedAsText: boolean;
  /** Where a provider takes only some letters in the name of a file, and no name twice, it gets none. */
  readonly namesFiles: boolean;
}

export function sdkPrompt(
  system: string,
  messages: readonly ModelMessage[],
  options: PromptOptions,
): LanguageModelV4Message[] {
  const head: LanguageModelV4Message[] = system === "" ? [] : [{ role: "system", content: system }];
  return [...head, ...messages.flatMap((message) => sdkMessages(message, options))];
}

function sdkMessages(message: ModelMessage, options: PromptOptions): LanguageModelV4Message[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: message.content.map((part) => userPart(part, options)) }];
    case "assistant": {
      const own = message.origin === options.origin;
      const content = message.content.flatMap((part) => assistantPart(part, own));
      return content.length === 0 ? [] : [{ role: "assistant", content }];
    }
    case "tool": {
      const content = message.results.map((result) => toolResult(result, options));
      const files = options.imagesInToolResults
        ? []
        : message.results.flatMap((result) => convertFiles(result, options));
      return [{ role: "tool", content }, ...(files.length === 0 ? [] : [{ role: "user" as const, content: files }])];
    }
  }
}

function userPart(part: UserPart, options: PromptOptions): { type: "text"; text: string } | LanguageModelV4FilePart {
  return part.type === "text" ? part : filePart(part, options);
}

type FilePart = Exclude<UserPart, { type: "text" }>;

function filePart(part: FilePart, { namesFiles }: PromptOptions): LanguageModelV4FilePart {
  const data = { type: "data", data: part.data } as const;
  return part.type === "image"
    ? { type: "file", mediaType: part.mimeType, data }
    : { type: "file", mediaType: "application/pdf", ...(namesFiles && { filename: part.name }), data };
}

function assistantPart(part: AssistantPart, own: boolean): Assistant["content"] {
  // A provider gets back what is its own exactly as it sent it.
  const options =
    own && part.providerOptions !== undefined ? { providerOptions: part.providerOptions as ProviderOptions } : {};
  switch (part.type) {
    case "text":
      return part.text === "" && !("providerOptions" in options) ? [] : [{ type: "text", text: part.text, ...options }];
    case "reasoning":
      return own ? [{ type: "reasoning", text: part.text, ...options }] : [];
    case "tool_call":
      return [{ type: "tool-call", toolCallId: part.id, toolName: part.name, input: part.input, ...options }];
  }
}

function toolResult(result: ToolResultPart, options: PromptOptions): LanguageModelV4ToolResultPart {
  const { imagesInToolResults, failedAsText } = options;
  const { id, name, content, isError } = result;
  const head = { type: "tool-result", toolCallId: id, toolName: name } as const;
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const files = content.filter((part) => part.type !== "text");
  if (isError) return { ...head, output: { type: failedAsText ? "text" : "error-text", value: text } };
  if (files.length === 0) return { ...head, output: { type: "text", value: text } };
  if (!imagesInToolResults) return { ...head, output: { type: "text", value: text || "The image follows." } };
  const parts = content.map((part) =>
    part.type === "text" ? part : ({ ...filePart(part, options), type: "file" } as const),
  );
  return { ...head, output: { type: "content", value: parts } };
}

function convertFiles(
  { name, content }: ToolResultPart,
  options: PromptOptions,
): Extract<LanguageModelV4Message, { role: "user" }>["content"] {
  const files = content.filter((part) => part.type !== "text");
  if (files.length === 0) return [];
  return [{ type: "text", text: `[what ${name} returned]` }, ...files.map((part) => filePart(part, options))];
}
