// Marks what stays the same between two requests, so that the provider reads it from its cache: the system prompt and the newest messages.
import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";

type Mark = NonNullable<LanguageModelV4Message["providerOptions"]>;

/** Three marks: the system prompt, the newest message, and the newest of the request before. */
export function withCacheMarks(options: LanguageModelV4CallOptions, mark: Mark): LanguageModelV4CallOptions {
  const { prompt } = options;
  const spoken = prompt.flatMap(({ role }, index) => (role === "user" || role === "tool" ? [index] : []));
  const marked = new Set([...spoken.slice(-2), prompt.findIndex(({ role }) => role === "system")]);
  return {
    ...options,
    prompt: prompt.map((message, index) =>
      marked.has(index) ? { ...message, providerOptions: { ...message.providerOptions, ...mark } } : message,
    ),
  };
}
