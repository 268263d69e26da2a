// Opens Ollama models through Ollama's own chat API. The package for it drops errors in the middle of an answer, does not pass on the token
// limit and loses which tool a result belongs to (docs/agent.md).
import { randomBytes } from "node:crypto";
import { providers } from "@signalbox/config/providers";
import { explainError } from "../explain-error.ts";
import type { AssistantPart, Model, ModelEvent, ModelRequest } from "../model.ts";
import { readToolInput } from "../nearly-json.ts";
import { ProviderError } from "../provider-error.ts";
import { type Fetch, providerFetch } from "../provider-fetch.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import { nameOrigin } from "../sdk-model.ts";
import { ollamaMessages, ollamaTools } from "./ollama-messages.ts";

/** Ollama's default is 4,096, which the first file of a session fills. */
const defaultWindow = 32_768;

interface Connection {
  readonly settings: ProviderSettings;
  readonly url: string;
  readonly window: number;
  readonly fetch: Fetch;
}

export async function ollamaModel(settings: ProviderSettings): Promise<Model> {
  const { provider, stallMs } = settings;
  const url = buildAddress(settings);
  const fetch = providerFetch(provider, stallMs);
  const model = settings.model || (await firstInstalled(settings));
  const facts = settings.facts(model);
  // Not what the model could take: Ollama keeps memory for the whole window.
  const window = settings.contextWindow ?? defaultWindow;
  const connection: Connection = { settings: { ...settings, model }, url, window, fetch };
  return {
    provider,
    name: model,
    contextWindow: window,
    facts,
    stream: (request, signal) => stream(connection, request, signal),
  };
}

/** The names of the models that are installed, newest first as Ollama lists them. */
export async function installedModels(settings: ProviderSettings): Promise<readonly string[]> {
  const { provider, headers, stallMs } = settings;
  const response = await providerFetch(provider, stallMs)(`${buildAddress(settings)}/api/tags`, {
    headers: { ...headers },
  });
  const { models = [] } = (await response.json()) as { models?: readonly { name: string }[] };
  return models.map(({ name }) => name);
}

function buildAddress({ baseUrl }: ProviderSettings): string {
  return (baseUrl ?? providers.ollama.defaultUrl).replace(/\/+$/, "").replace(/\/api$/, "");
}

async function firstInstalled(settings: ProviderSettings): Promise<string> {
  const [first] = await installedModels(settings);
  if (first === undefined) {
    throw new ProviderError(
      "misconfigured",
      "Ollama has no model yet. Run `ollama pull NAME`, then choose it with --model NAME.",
    );
  }
  return first;
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
    messages: ollamaMessages(system, messages, nameOrigin(provider, model)),
    ...(tools.length > 0 && { tools: ollamaTools(tools) }),
    stream: true,
    // Only some models have levels. For the others it is yes or no, and for many an error.
    ...(thinking !== "off" && { think: model.startsWith("gpt-oss") ? thinking : true }),
    options: { num_predict: maxOutputTokens, num_ctx: window },
  };
  const response = await fetch(`${url}/api/chat`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
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

/** Collects one answer: the events of each line, and the message to send back. */
class OllamaAnswer {
  readonly #calls: AssistantPart[] = [];
  /** Ollama has no ids. Random, because a session outlives this process. */
  readonly #idPrefix = `call_${randomBytes(6).toString("hex")}_`;
  #text = "";
  #thinking = "";

  *events({ message, done, error, ...end }: Line): Iterable<ModelEvent> {
    if (error !== undefined) {
      const reason = typeof error === "string" ? error : JSON.stringify(error);
      throw new ProviderError("broken_stream", `The answer of ollama broke off: ${reason}`);
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
    const parsed = typeof given === "string" ? readToolInput(given) : { input: given ?? {} };
    this.#calls.push({ type: "tool_call", id, name, input: parsed.input });
    return { type: "tool_call", id, name, ...parsed };
  }

  #finish({ done_reason, prompt_eval_count, eval_count }: Line): ModelEvent {
    const message: AssistantPart[] = [
      ...(this.#thinking === "" ? [] : [{ type: "reasoning" as const, text: this.#thinking }]),
      ...(this.#text === "" ? [] : [{ type: "text" as const, text: this.#text }]),
      ...this.#calls,
    ];
    const usage = {
      inputTokens: prompt_eval_count ?? 0,
      outputTokens: eval_count ?? 0,
      cachedTokens: 0,
      cacheWriteTokens: 0,
    };
    const reason = done_reason === "length" ? "max_tokens" : this.#calls.length > 0 ? "tool_calls" : "stop";
    return { type: "finish", reason, usage, message };
  }
}

/** One JSON value per line. A line that is not JSON is an error: something is lost. */
async function* jsonLines(body: ReadableStream<Uint8Array>): AsyncIterable<unknown> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") yield parseLine(line);
  }
  if (rest.trim() !== "") yield parseLine(rest);
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new ProviderError(
      "broken_stream",
      `The answer of ollama broke off: a line is not JSON (${line.slice(0, 80)})`,
    );
  }
}
