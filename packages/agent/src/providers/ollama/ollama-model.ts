// Ollama's own chat API, spoken directly: the package for it drops errors in the middle of an answer, does not pass on the token limit
// and loses which tool a result belongs to (docs/agent.md).
import { randomBytes } from "node:crypto";
import { providers } from "@signalbox/config/providers";
import { explainError } from "../explain-error.ts";
import type { AssistantPart, Model, ModelEvent, ModelRequest } from "../model.ts";
import { ProviderError } from "../provider-error.ts";
import { type Fetch, providerFetch } from "../provider-fetch.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import { parseInput } from "../sdk-events.ts";
import { originOf } from "../sdk-model.ts";
import { jsonLines } from "./json-lines.ts";
import { ollamaMessages, ollamaTools } from "./ollama-messages.ts";

/** Ollama itself takes 4,096, which a coding session fills with its first file. */
const usualWindow = 32_768;

interface Connection {
  readonly settings: ProviderSettings;
  readonly url: string;
  readonly window: number;
  readonly fetch: Fetch;
}

export async function ollamaModel(settings: ProviderSettings): Promise<Model> {
  const { provider, baseUrl, stallMs } = settings;
  const url = (baseUrl ?? providers.ollama.defaultUrl).replace(/\/+$/, "").replace(/\/api$/, "");
  const window = settings.contextWindow ?? usualWindow;
  const fetch = providerFetch(provider, stallMs);
  const model = settings.model || (await firstInstalled({ settings, url, window, fetch }));
  const connection: Connection = { settings: { ...settings, model }, url, window, fetch };
  return {
    provider,
    name: model,
    contextWindow: window,
    stream: (request, signal) => stream(connection, request, signal),
  };
}

async function firstInstalled({ settings, url, fetch }: Connection): Promise<string> {
  const response = await fetch(`${url}/api/tags`, { headers: settings.headers });
  const { models = [] } = (await response.json()) as { models?: readonly { name: string }[] };
  const [first] = models;
  if (first === undefined) {
    throw new ProviderError(
      "misconfigured",
      "Ollama has no model yet. Run `ollama pull NAME`, then choose it with --model NAME.",
    );
  }
  return first.name;
}

async function* stream(connection: Connection, request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
  try {
    const response = await post(connection, request, signal);
    const answer = new OllamaAnswer();
    for await (const line of jsonLines(response.body ?? new ReadableStream())) {
      signal.throwIfAborted();
      yield* answer.events(line as Line);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw explainError(error, connection.settings);
  }
}

async function post({ settings, url, window, fetch }: Connection, request: ModelRequest, signal: AbortSignal) {
  const { provider, model, apiKey, headers } = settings;
  const { system, messages, tools, maxOutputTokens, thinking } = request;
  const body = {
    model,
    messages: ollamaMessages(system, messages, originOf(provider, model)),
    ...(tools.length > 0 && { tools: ollamaTools(tools) }),
    stream: true,
    // Only some models know levels; to the others it is yes or no, and to many an error.
    ...(thinking !== "off" && { think: model.startsWith("gpt-oss") ? thinking : true }),
    options: { num_predict: maxOutputTokens, num_ctx: window },
  };
  const response = await fetch(`${url}/api/chat`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
      ...headers,
    },
    body: JSON.stringify(body),
    signal,
  });
  if (response.ok) return response;
  const responseHeaders = Object.fromEntries(response.headers);
  throw explainError({ statusCode: response.status, responseBody: await response.text(), responseHeaders }, settings);
}

interface Line {
  readonly message?: {
    readonly content?: string;
    readonly thinking?: string;
    readonly tool_calls?: readonly { readonly function?: { readonly name?: string; readonly arguments?: unknown } }[];
  };
  readonly done?: boolean;
  readonly done_reason?: string;
  readonly prompt_eval_count?: number;
  readonly eval_count?: number;
  readonly error?: unknown;
}

/** One answer as it comes: what it means, and the message to send back. */
class OllamaAnswer {
  readonly #calls: AssistantPart[] = [];
  /** Ids are ours; random, because a session outlives this process. */
  readonly #idPrefix = `call_${randomBytes(6).toString("hex")}_`;
  #text = "";
  #thinking = "";

  *events({ message, done, error, ...end }: Line): Iterable<ModelEvent> {
    if (error !== undefined) {
      const words = typeof error === "string" ? error : JSON.stringify(error);
      throw new ProviderError("broken_stream", `The answer of ollama broke off: ${words}`);
    }
    if (message?.thinking) {
      this.#thinking += message.thinking;
      yield { type: "reasoning", text: message.thinking };
    }
    if (message?.content) {
      this.#text += message.content;
      yield { type: "text", text: message.content };
    }
    for (const call of message?.tool_calls ?? [])
      yield this.#toolCall(call.function?.name ?? "", call.function?.arguments);
    if (done === true) yield this.#finish(end);
  }

  #toolCall(name: string, given: unknown): ModelEvent {
    const id = `${this.#idPrefix}${this.#calls.length + 1}`;
    const parsed = typeof given === "string" ? parseInput(given) : { input: given ?? {} };
    this.#calls.push({ type: "tool_call", id, name, input: parsed.input });
    return { type: "tool_call", id, name, ...parsed };
  }

  #finish({ done_reason, prompt_eval_count, eval_count }: Line): ModelEvent {
    const message: AssistantPart[] = [
      ...(this.#thinking === "" ? [] : [{ type: "reasoning" as const, text: this.#thinking }]),
      ...(this.#text === "" ? [] : [{ type: "text" as const, text: this.#text }]),
      ...this.#calls,
    ];
    const usage = { inputTokens: prompt_eval_count ?? 0, outputTokens: eval_count ?? 0, cachedTokens: 0 };
    const reason = done_reason === "length" ? "max_tokens" : this.#calls.length > 0 ? "tool_calls" : "stop";
    return { type: "finish", reason, usage, message };
  }
}
