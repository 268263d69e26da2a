// Makes our Model of a model of the AI SDK's provider packages. It sends one request and does not retry; the package `ai` is not used.
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { untilAborted } from "@signalbox/tool-calls";
import { explainError, type ProviderFacts } from "./explain-error.ts";
import type { Model, ModelEvent, ModelRequest } from "./model.ts";
import type { ProviderSettings } from "./provider-settings.ts";
import { SdkEvents } from "./sdk-events.ts";
import { sdkPrompt } from "./sdk-prompt.ts";

interface SdkModelOptions extends ProviderFacts, Pick<ProviderSettings, "contextWindow" | "facts"> {
  readonly languageModel: LanguageModelV4;
  readonly imagesInToolResults: boolean;
  /** Whether PDFs can be sent to this server; whether the model reads them, its facts tell. */
  readonly takesPdfs: boolean;
  /** See `sdkPrompt`. */
  readonly failedAsText?: boolean;
  /** See `sdkPrompt`. */
  readonly namesFiles?: boolean;
  /** Set where the package invents an end when none came: then only an end with the provider's own reason counts. */
  readonly endNeedsReason?: boolean;
  /** Adds what only this provider needs. */
  readonly adjust?: (options: LanguageModelV4CallOptions, request: ModelRequest) => LanguageModelV4CallOptions;
}

export function sdkModel(options: SdkModelOptions): Model {
  const { provider, model } = options;
  const facts = options.facts(model);
  const contextWindow = options.contextWindow ?? facts.contextWindow;
  return {
    provider,
    name: model,
    contextWindow,
    facts,
    readsPdfs: options.takesPdfs && facts.readsPdfs === true,
    stream: (request, signal) => stream(options, request, signal),
  };
}

async function* stream(
  options: SdkModelOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncIterable<ModelEvent> {
  const { languageModel, adjust } = options;
  const call = callOptions(options, request, signal);
  const events = new SdkEvents(options, options.endNeedsReason ?? false);
  // A cancelled turn does not wait for the package to notice the signal: cancelling the reader ends a read that waits.
  let reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined;
  const cancelRead = () => void reader?.cancel().catch(() => {});
  signal.addEventListener("abort", cancelRead);
  try {
    const result = await untilAborted(languageModel.doStream(adjust?.(call, request) ?? call), signal);
    reader = result.stream.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      const event = events.event(value);
      if (event !== undefined) yield event;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw explainError(error, options);
  } finally {
    signal.removeEventListener("abort", cancelRead);
    cancelRead();
  }
}

function callOptions(
  { provider, model, imagesInToolResults, failedAsText = false, namesFiles = true }: SdkModelOptions,
  request: ModelRequest,
  abortSignal: AbortSignal,
): LanguageModelV4CallOptions {
  const { system, messages, tools, maxOutputTokens, thinking } = request;
  const prompt: LanguageModelV4Message[] = sdkPrompt(system, messages, {
    origin: nameOrigin(provider, model),
    imagesInToolResults,
    failedAsText,
    namesFiles,
  });
  return {
    prompt,
    maxOutputTokens,
    abortSignal,
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema }) => ({ type: "function", name, description, inputSchema })),
      toolChoice: { type: "auto" },
    }),
    ...(thinking !== "off" && { reasoning: thinking }),
  };
}

/** The model that wrote a message: `anthropic/claude-sonnet-5`. */
export function nameOrigin(provider: string, model: string): string {
  return `${provider}/${model}`;
}
