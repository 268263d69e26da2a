// Gemini's generateContent, streamed.
import { type Finish, finishOf, piecesOf, type ScriptedToolCall } from "../script.ts";
import type { SeenMessage } from "../seen-request.ts";
import { contentText, event, type Fields, fields, freshId, list, text, type Wire } from "../wire.ts";

const finishReasons: Readonly<Record<Finish, string>> = {
  stop: "STOP",
  tool_calls: "STOP",
  max_tokens: "MAX_TOKENS",
  refusal: "SAFETY",
};

export const gemini: Wire = {
  name: "gemini",
  contentType: "text/event-stream",
  matches: (path) => path.endsWith(":streamGenerateContent"),
  junkFrame: "data: {this is not JSON\n\n",
  errorFrame: (message) => event({ error: { code: 503, message, status: "UNAVAILABLE" } }),
  errorBody: (status, message) => ({ error: { code: status, message, status: "INVALID_ARGUMENT" } }),

  read(body, path) {
    const tools = list(body.tools).flatMap((tool) => list(tool.functionDeclarations));
    return {
      model: /models\/([^:]+):/.exec(path)?.[1] ?? "",
      system: contentText(fields(body.systemInstruction).parts),
      messages: list(body.contents).flatMap(seenMessages),
      tools: tools.map((tool) => text(tool.name)),
      maxOutputTokens: Number(fields(body.generationConfig).maxOutputTokens ?? Number.NaN) || null,
    };
  },

  frames(answer, model) {
    const responseId = freshId("gemini-");
    const chunk = (parts: readonly Fields[], rest: Fields = {}, finishReason?: string) =>
      event({
        candidates: [
          { content: { role: "model", parts }, index: 0, ...(finishReason === undefined ? {} : { finishReason }) },
        ],
        modelVersion: model,
        responseId,
        ...rest,
      });
    const { input = 100, output = 20, cached = 0 } = answer.usage ?? {};
    const signed = answer.signature === undefined ? {} : { thoughtSignature: answer.signature };
    const thoughts = piecesOf(answer.thinking).map((piece) => chunk([{ text: piece, thought: true }]));
    const texts = piecesOf(answer.text).map((piece) => chunk([{ text: piece }]));
    const calls = (answer.toolCalls ?? []).map((call) => ({
      functionCall: { name: call.name, args: argsOf(call) },
      ...signed,
    }));
    const usageMetadata = {
      promptTokenCount: input,
      candidatesTokenCount: output,
      totalTokenCount: input + output,
      ...(cached > 0 && { cachedContentTokenCount: cached }),
    };
    return [
      ...thoughts,
      ...texts,
      ...(calls.length > 0 ? [chunk(calls)] : []),
      chunk([{ text: "" }], { usageMetadata }, finishReasons[finishOf(answer)]),
    ];
  },
};

/** Arguments are never JSON text here, so what is broken arrives as something that is not an object. */
function argsOf({ broken, input }: ScriptedToolCall): unknown {
  return broken === undefined ? (input ?? {}) : { broken };
}

function seenMessages(content: Fields): SeenMessage[] {
  const parts = list(content.parts);
  const said = contentText(parts.filter((part) => part.thought !== true));
  if (content.role === "user") {
    const toolResults = parts
      .map((part) => fields(part.functionResponse))
      .filter((response) => response.name !== undefined)
      .map((response) => ({ id: null, name: text(response.name), text: responseText(fields(response.response)) }));
    const images = parts.filter((part) => part.inlineData !== undefined).length;
    return [
      ...(toolResults.length > 0 ? [{ role: "tool" as const, text: "", toolResults }] : []),
      ...(said !== "" || images > 0 ? [{ role: "user" as const, text: said, ...(images > 0 && { images }) }] : []),
    ];
  }
  const toolCalls = parts
    .map((part) => fields(part.functionCall))
    .filter((call) => call.name !== undefined)
    .map((call) => ({ id: null, name: text(call.name), input: call.args }));
  const thinking = contentText(parts.filter((part) => part.thought === true));
  const signature = parts.map((part) => text(part.thoughtSignature)).find((it) => it !== "");
  return [
    {
      role: "assistant",
      text: said,
      ...(thinking !== "" && { thinking }),
      ...(signature !== undefined && { signature }),
      ...(toolCalls.length > 0 && { toolCalls }),
    },
  ];
}

function responseText(response: Fields): string {
  const { content, output, result, error } = response;
  return text(content ?? output ?? result ?? error) || JSON.stringify(response);
}
