// Converts the stream parts of the AI SDK to our events, and collects the assistant's message as it must be sent back.
import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import { explainStreamError, type ProviderFacts } from "./explain-error.ts";
import type { AssistantPart, ModelEvent, ModelUsage } from "./model.ts";
import { readToolInput } from "./nearly-json.ts";
import { ProviderError } from "./provider-error.ts";

type Finish = Extract<LanguageModelV4StreamPart, { type: "finish" }>;
type Metadata = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface OpenPart {
  readonly type: "text" | "reasoning";
  text: string;
  metadata: Metadata | undefined;
}

interface ToolPart {
  readonly type: "tool_call";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly metadata: Metadata | undefined;
}

export class SdkEvents {
  readonly #facts: ProviderFacts;
  readonly #endNeedsReason: boolean;
  /** The message so far, in the order in which its parts began. */
  readonly #parts: (OpenPart | ToolPart)[] = [];
  readonly #open = new Map<string, OpenPart>();
  /** The text of each tool's input. Some packages replace an input that is not JSON; the model needs the original to correct it. */
  readonly #inputs = new Map<string, string>();

  constructor(facts: ProviderFacts, endNeedsReason: boolean) {
    this.#facts = facts;
    this.#endNeedsReason = endNeedsReason;
  }

  /** The event of a part, if it has one. Throws where the answer is broken. */
  event(part: LanguageModelV4StreamPart): ModelEvent | undefined {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        this.#begin(part.type === "text-start" ? "text" : "reasoning", part.id, part.providerMetadata);
        return undefined;
      case "text-delta":
        return this.#append("text", part.id, part.delta, part.providerMetadata);
      case "reasoning-delta":
        return this.#append("reasoning", part.id, part.delta, part.providerMetadata);
      case "text-end":
      case "reasoning-end":
        this.#append(part.type === "text-end" ? "text" : "reasoning", part.id, "", part.providerMetadata);
        return undefined;
      case "tool-input-start":
        this.#inputs.set(part.id, "");
        return { type: "tool_input_start", id: part.id, name: part.toolName };
      case "tool-input-delta":
        this.#inputs.set(part.id, (this.#inputs.get(part.id) ?? "") + part.delta);
        return part.delta === "" ? undefined : { type: "tool_input_delta", id: part.id, text: part.delta };
      case "tool-call":
        return this.#toolCall(part.toolCallId, part.toolName, part.input, part.providerMetadata);
      case "finish":
        return this.#finish(part);
      case "error":
        throw explainStreamError(part.error, this.#facts);
      // We neither ask for the other parts nor can show them.
      default:
        return undefined;
    }
  }

  #begin(type: OpenPart["type"], id: string, metadata: Metadata | undefined): OpenPart {
    const part: OpenPart = { type, text: "", metadata };
    this.#parts.push(part);
    this.#open.set(`${type} ${id}`, part);
    return part;
  }

  #append(type: OpenPart["type"], id: string, text: string, metadata: Metadata | undefined): ModelEvent | undefined {
    const part = this.#open.get(`${type} ${id}`) ?? this.#begin(type, id, undefined);
    part.text += text;
    if (metadata !== undefined) part.metadata = merged(part.metadata, metadata);
    return text === "" ? undefined : { type, text };
  }

  #toolCall(id: string, name: string, input: string, metadata: Metadata | undefined): ModelEvent {
    const parsed = readToolInput(this.#inputs.get(id) || input);
    this.#parts.push({ type: "tool_call", id, name, input: parsed.input, metadata });
    return { type: "tool_call", id, name, ...parsed };
  }

  #finish({ finishReason, usage, providerMetadata }: Finish): ModelEvent {
    if (this.#endNeedsReason && finishReason.raw === undefined) throw incomplete(this.#facts);
    const called = this.#parts.some((part) => part.type === "tool_call");
    const reason = convertFinishReason(finishReason, called, this.#facts);
    return {
      type: "finish",
      reason,
      usage: convertUsage(usage, providerMetadata),
      message: this.#parts.flatMap(messagePart),
    };
  }
}

function convertFinishReason(
  { unified, raw }: Finish["finishReason"],
  called: boolean,
  facts: ProviderFacts,
): Extract<ModelEvent, { type: "finish" }>["reason"] {
  switch (unified) {
    case "stop":
      return called ? "tool_calls" : "stop";
    case "tool-calls":
      return "tool_calls";
    case "length":
      return "max_tokens";
    case "content-filter":
      return "refusal";
    case "other":
      // An unknown reason is an end too. Without any reason the end is missing.
      if (raw !== undefined) return called ? "tool_calls" : "stop";
      throw incomplete(facts);
    case "interrupted":
    case "error":
      throw new ProviderError(
        "broken_stream",
        `The answer of ${facts.provider} broke off${raw === undefined ? "" : `: ${raw}`}.`,
      );
  }
}

function incomplete({ provider }: ProviderFacts): ProviderError {
  return new ProviderError("broken_stream", `The answer of ${provider} ended before it was complete.`);
}

function messagePart(part: OpenPart | ToolPart): AssistantPart[] {
  const options = part.metadata === undefined ? {} : { providerOptions: part.metadata };
  switch (part.type) {
    case "text":
      return part.text === "" && part.metadata === undefined ? [] : [{ type: "text", text: part.text, ...options }];
    case "reasoning":
      return part.text === "" && part.metadata === undefined
        ? []
        : [{ type: "reasoning", text: part.text, ...options }];
    case "tool_call":
      return [{ type: "tool_call", id: part.id, name: part.name, input: part.input, ...options }];
  }
}

function convertUsage(
  { inputTokens, outputTokens }: LanguageModelV4Usage,
  metadata: Metadata | undefined,
): ModelUsage | null {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return null;
  const usage = {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    cachedTokens: inputTokens.cacheRead ?? 0,
    cacheWriteTokens: inputTokens.cacheWrite ?? 0,
  };
  const cost = (metadata?.openrouter?.usage as { cost?: unknown } | undefined)?.cost;
  return typeof cost === "number" ? { ...usage, cost } : usage;
}

function merged(before: Metadata | undefined, after: Metadata): Metadata {
  const all: Record<string, Readonly<Record<string, unknown>>> = { ...before };
  for (const [provider, values] of Object.entries(after)) all[provider] = { ...all[provider], ...values };
  return all;
}
