// Opens OpenAI models through the Responses API. A server at another address is asked for chat completions first, which most of them
// speak, and for responses where it does not.
import { createOpenAI } from "@ai-sdk/openai";
import { providers } from "@signalbox/config/providers";
import { compatibleModel } from "../compatible/compatible-model.ts";
import { contextWindowOf } from "../known-models.ts";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import { ProviderError } from "../provider-error.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import { sdkConnection } from "../sdk-connection.ts";
import { sdkModel } from "../sdk-model.ts";

export function openAIModel(settings: ProviderSettings): Model {
  const responses = responsesModel(settings);
  const ownHost = new URL(providers.openai.defaultUrl).hostname;
  const elsewhere = settings.baseUrl !== undefined && new URL(settings.baseUrl).hostname !== ownHost;
  return elsewhere ? firstThatExists(compatibleModel(settings), responses) : responses;
}

function responsesModel(settings: ProviderSettings): Model {
  const { model } = settings;
  const openai = createOpenAI(sdkConnection(settings));
  return sdkModel({
    ...settings,
    languageModel: openai.responses(model),
    contextWindow: settings.contextWindow ?? contextWindowOf(model),
    imagesInToolResults: true,
    adjust: (options, { thinking }) => ({
      ...options,
      providerOptions: {
        openai: {
          // The provider stores nothing: thoughts are sent, encrypted, with the conversation.
          store: false,
          parallelToolCalls: true,
          ...(thinking !== "off" && { reasoningSummary: "auto" }),
        },
      },
    }),
  });
}

/** Uses the first of two APIs that the server has. The first answer decides. */
function firstThatExists(first: Model, second: Model): Model {
  let known: Model | undefined;
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    if (known === undefined) {
      try {
        for await (const event of first.stream(request, signal)) {
          known = first;
          yield event;
        }
        return;
      } catch (error) {
        if (known !== undefined || !(error instanceof ProviderError) || error.code !== "not_found") throw error;
        yield* orElse(second.stream(request, signal), error);
        known = second;
        return;
      }
    }
    yield* known.stream(request, signal);
  }
  return { ...first, stream };
}

/** Where the server has neither API, the error has both messages: one of them names what is missing. */
async function* orElse(events: AsyncIterable<ModelEvent>, first: ProviderError): AsyncIterable<ModelEvent> {
  try {
    yield* events;
  } catch (error) {
    if (!(error instanceof ProviderError) || error.code !== "not_found") throw error;
    throw new ProviderError("not_found", `${first.message} As responses, not as chat completions: ${error.message}`);
  }
}
