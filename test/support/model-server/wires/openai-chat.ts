// OpenAI's chat completions, which OpenRouter and most other servers speak too.
import { argumentsText, type Finish, finishOf, piecesOf } from "../script.ts";
import type { SeenMessage } from "../seen-request.ts";
import { contentText, event, type Fields, fields, freshId, list, parsed, text, type Wire } from "../wire.ts";

const finishReasons: Readonly<Record<Finish, string>> = {
  stop: "stop",
  tool_calls: "tool_calls",
  max_tokens: "length",
  refusal: "content_filter",
};

export const openAIChat: Wire = {
  name: "openai-chat",
  contentType: "text/event-stream",
  matches: (path) => path.endsWith("/chat/completions"),
  junkFrame: "data: {this is not JSON\n\n",
  errorFrame: (message) => event({ error: { message, type: "server_error", code: 502 } }),
  errorBody: (status, message) => ({ error: { message, type: "invalid_request_error", code: status } }),

  read(body) {
    const all = list(body.messages);
    return {
      model: text(body.model),
      system: all
        .filter(({ role }) => role === "system" || role === "developer")
        .map((message) => contentText(message.content))
        .join("\n"),
      messages: all.flatMap(seenMessage),
      tools: list(body.tools).map((tool) => text(fields(tool.function).name)),
      maxOutputTokens: Number(body.max_completion_tokens ?? body.max_tokens ?? Number.NaN) || null,
    };
  },

  frames(answer, model) {
    const id = freshId("chatcmpl-");
    const chunk = (delta: Fields, finish: string | null = null) =>
      event({
        id,
        object: "chat.completion.chunk",
        created: 1_700_000_000,
        model,
        choices: [{ index: 0, delta, finish_reason: finish }],
      });
    const frames = [chunk({ role: "assistant", content: "" })];
    for (const piece of piecesOf(answer.thinking)) {
      const details = [{ type: "reasoning.text", text: piece, format: "unknown", index: 0 }];
      frames.push(
        chunk({ reasoning: piece, ...(answer.signature === undefined ? {} : { reasoning_details: details }) }),
      );
    }
    if (answer.signature !== undefined) {
      const details = [{ type: "reasoning.text", signature: answer.signature, format: "unknown", index: 0 }];
      frames.push(chunk({ reasoning_details: details }));
    }
    for (const piece of piecesOf(answer.text)) frames.push(chunk({ content: piece }));
    for (const [index, call] of (answer.toolCalls ?? []).entries()) {
      const json = argumentsText(call);
      const half = Math.ceil(json.length / 2);
      const name = { index, id: call.id ?? freshId("call_"), type: "function" };
      frames.push(chunk({ tool_calls: [{ ...name, function: { name: call.name, arguments: "" } }] }));
      for (const piece of [json.slice(0, half), json.slice(half)]) {
        frames.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
      }
    }
    const { input = 100, output = 20, cached = 0 } = answer.usage ?? {};
    frames.push(chunk({}, finishReasons[finishOf(answer)]));
    frames.push(
      event({
        id,
        object: "chat.completion.chunk",
        created: 1_700_000_000,
        model,
        choices: [],
        usage: {
          prompt_tokens: input,
          completion_tokens: output,
          total_tokens: input + output,
          prompt_tokens_details: { cached_tokens: cached },
        },
      }),
      "data: [DONE]\n\n",
    );
    return frames;
  },
};

function seenMessage(message: Fields): SeenMessage[] {
  const said = contentText(message.content);
  switch (message.role) {
    case "user": {
      const images = list(message.content).filter((part) => part.type === "image_url").length;
      return [{ role: "user", text: said, ...(images > 0 && { images }) }];
    }
    case "assistant": {
      const toolCalls = list(message.tool_calls).map((call) => ({
        id: text(call.id),
        name: text(fields(call.function).name),
        input: parsed(fields(call.function).arguments),
      }));
      const details = list(message.reasoning_details);
      const thinking =
        text(message.reasoning_content ?? message.reasoning) || details.map((it) => text(it.text)).join("");
      const signature = details.map((detail) => text(detail.signature)).find((it) => it !== "");
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
    case "tool":
      return [{ role: "tool", text: "", toolResults: [{ id: text(message.tool_call_id), name: null, text: said }] }];
    default:
      return [];
  }
}
