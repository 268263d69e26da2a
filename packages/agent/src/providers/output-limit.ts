// Reads from a provider's refusal how many tokens an answer may have. The catalogue does not know every model, and a gateway or a server of
// one's own may allow less.

const patterns: readonly RegExp[] = [
  // Anthropic: max_tokens: 128000 > 64000, which is the maximum …
  /max_\w*tokens\W{1,10}\d+\s*>\s*(\d+)/i,
  // OpenAI: This model supports at most 16384 completion tokens
  /at most (\d+) (?:completion|output) tokens/i,
  // Bedrock: The maximum tokens you requested exceeds the model limit of 8192.
  /maximum tokens you requested exceeds the model limit of (\d+)/i,
  // Groq: `max_tokens` must be less than or equal to `32768`
  /max_\w*tokens\W{1,10}must be (?:less than or equal to|at most|<=)\W{1,10}(\d+)/i,
  // DeepSeek: the valid range of max_tokens is [1, 8192]
  /range of max_\w*tokens is \[\d+,\s*(\d+)\]/i,
];
/** Gemini: maxOutputTokens value of 128000 but the supported range is from 1 (inclusive) to 65537 (exclusive). */
const below = /maxOutputTokens.{1,60}\(inclusive\) to (\d+) \(exclusive\)/i;
/** vLLM: maximum context length is 8192 tokens and your request has 2000 input tokens; before: (2000 in the messages, 16384 in the completion). */
const sharedWindow =
  /maximum context length is (\d+) tokens.{1,80}?(?:has (\d+) input tokens|\((\d+) in the messages)/is;

/** With less room there is none for an answer with a call: then the conversation is too long. */
const minOutputTokens = 1024;

interface OutputLimit {
  readonly tokens: number;
  /** False where it is what this request leaves of the window: a shorter request has more room. */
  readonly isOfModel: boolean;
}

/** Undefined where the message says nothing about it. */
export function readOutputLimit(message: string): OutputLimit | undefined {
  const [, window, input, before] = sharedWindow.exec(message) ?? [];
  const isOfModel = window === undefined;
  const tokens = isOfModel ? limitOfModel(message) : Number(window) - Number(input ?? before);
  return tokens >= minOutputTokens ? { tokens, isOfModel } : undefined;
}

function limitOfModel(message: string): number {
  const [, upper] = below.exec(message) ?? [];
  if (upper !== undefined) return Number(upper) - 1;
  return Number(patterns.map((pattern) => pattern.exec(message)?.[1]).find((each) => each !== undefined));
}
