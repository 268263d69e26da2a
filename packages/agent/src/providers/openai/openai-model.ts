// Opens OpenAI models through the Responses API. A server at another address is asked for chat completions first, which most of them
// speak, and for responses where it does not. The config can name the API.
import { createOpenAI } from "@ai-sdk/openai";
import { compatibleModel } from "../compatible/compatible-model.ts";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import { ProviderError } from "../provider-error.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import { sdkConnection } from "../sdk-connection.ts";
import { sdkModel } from "../sdk-model.ts";
import { isVendorHost } from "../vendor-host.ts";

export function openAIModel(settings: ProviderSettings): Model {
  switch (settings.api) {
    case "chat":
      return compatibleModel(settings);
    case "responses":
      return responsesModel(settings);
    case undefined: {
      const responses = responsesModel(settings);
      if (isVendorHost("openai", settings.baseUrl)) return responses;
      const chat = compatibleModel(settings);
      // The name of a deployment does not tell the model, and Azure has responses for all of OpenAI's.
      return settings.provider === "azure" ? firstThatFits(responses, chat) : firstThatFits(chat, responses);
    }
  }
}

function responsesModel(settings: ProviderSettings): Model {
  const { model } = settings;
  const openai = createOpenAI(sdkConnection(settings));
  return sdkModel({
    ...settings,
    languageModel: openai.responses(model),
    imagesInToolResults: true,
    takesPdfs: settings.provider === "azure" || isVendorHost("openai", settings.baseUrl),
    failedAsText: true,
    adjust: (options, { thinking, cacheKey }) => ({
      ...options,
      providerOptions: {
        openai: {
          // The provider stores nothing: thoughts are sent, encrypted, with the conversation.
          store: false,
          parallelToolCalls: true,
          ...(thinking !== "off" && { reasoningSummary: "auto" }),
          // A deployment has a name of its own, by which the package knows no model that thinks.
          ...(thinking !== "off" && settings.provider === "azure" && { forceReasoning: true }),
          // Other servers may refuse a field that they do not know.
          ...(cacheKey !== undefined && isVendorHost("openai", settings.baseUrl) && { promptCacheKey: cacheKey }),
        },
      },
    }),
  });
}

/** Uses the first of two APIs that the server takes this model with. The first answer decides, for the whole session. */
function firstThatFits(first: Model, second: Model): Model {
  let known: Model | undefined;
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    if (known !== undefined) {
      yield* known.stream(request, signal);
      return;
    }
    try {
      for await (const event of first.stream(request, signal)) {
        known = first;
        yield event;
      }
      return;
    } catch (error) {
      if (known !== undefined || !(error instanceof ProviderError) || !isAboutApi(error)) throw error;
      for await (const event of orElse(second.stream(request, signal), error)) {
        // Before the event: the reader leaves at the last one.
        known = second;
        yield event;
      }
    }
  }
  return { ...first, stream };
}

/** No such address, or a model that the server does not take with this API. */
function isAboutApi({ code, message }: ProviderError): boolean {
  if (code === "not_found") return true;
  return (
    code === "bad_request" &&
    /max_(completion_)?tokens|v1\/responses|responses api|operation (is unsupported|does not work)/i.test(message)
  );
}

/** Where the server takes neither API, the error has both messages: one of them names what is missing. */
async function* orElse(events: AsyncIterable<ModelEvent>, first: ProviderError): AsyncIterable<ModelEvent> {
  try {
    yield* events;
  } catch (error) {
    if (!(error instanceof ProviderError) || error.code !== "not_found") throw error;
    throw new ProviderError(first.code, `${first.message} With the other API: ${error.message}`);
  }
}
