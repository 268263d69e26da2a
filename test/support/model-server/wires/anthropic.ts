// Anthropic's Messages API, and the same at Vertex AI, where the path names the model.
import { argumentsText, type Finish, finishOf, piecesOf } from "../script.ts";
import type { SeenMessage } from "../seen-request.ts";
import { contentText, event, type Fields, freshId, list, text, type Wire } from "../wire.ts";

const stopReasons: Readonly<Record<Finish, string>> = {
  stop: "end_turn",
  tool_calls: "tool_use",
  max_tokens: "max_tokens",
  refusal: "refusal",
};

export const anthropic: Wire = {
  name: "anthropic",
  contentType: "text/event-stream",
  matches: (path) => path.endsWith("/messages") || path.endsWith(":streamRawPredict"),
  junkFrame: "event: content_block_delta\ndata: {this is not JSON\n\n",
  errorFrame: (message) => event({ type: "error", error: { type: "overloaded_error", message } }, "error"),
  errorBody: (status, message) => ({ type: "error", error: { type: errorType(status), message } }),

  read(body, path) {
    return {
      model: text(body.model) || (/models\/([^:]+):/.exec(path)?.[1] ?? ""),
      system: contentText(body.system),
      messages: list(body.messages).flatMap(seenMessages),
      tools: list(body.tools).map((tool) => text(tool.name)),
      maxOutputTokens: Number(body.max_tokens ?? Number.NaN) || null,
    };
  },

  frames(answer, model) {
    const frames: string[] = [];
    const send = (type: string, rest: Fields) => frames.push(event({ type, ...rest }, type));
    const { input = 100, output = 20, cached = 0 } = answer.usage ?? {};
    const usage = { input_tokens: input - cached, cache_read_input_tokens: cached, cache_creation_input_tokens: 0 };
    send("message_start", {
      message: {
        id: freshId("msg_"),
        type: "message",
        role: "assistant",
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...usage, output_tokens: 1 },
      },
    });
    send("ping", {});
    let index = 0;
    const block = (content_block: Fields, deltas: readonly Fields[]) => {
      send("content_block_start", { index, content_block });
      for (const delta of deltas) send("content_block_delta", { index, delta });
      send("content_block_stop", { index });
      index++;
    };
    if (answer.thinking !== undefined) {
      const pieces = piecesOf(answer.thinking).map((thinking) => ({ type: "thinking_delta", thinking }));
      const signature = { type: "signature_delta", signature: answer.signature ?? "signed" };
      block({ type: "thinking", thinking: "", signature: "" }, [...pieces, signature]);
    }
    if (answer.text !== undefined) {
      const pieces = piecesOf(answer.text).map((piece) => ({ type: "text_delta", text: piece }));
      block({ type: "text", text: "" }, pieces);
    }
    for (const call of answer.toolCalls ?? []) {
      const json = argumentsText(call);
      const half = Math.ceil(json.length / 2);
      const pieces = [json.slice(0, half), json.slice(half)];
      block(
        { type: "tool_use", id: call.id ?? freshId("toolu_"), name: call.name, input: {} },
        pieces.map((partial_json) => ({ type: "input_json_delta", partial_json })),
      );
    }
    send("message_delta", {
      delta: { stop_reason: stopReasons[finishOf(answer)], stop_sequence: null },
      usage: { ...usage, output_tokens: output },
    });
    send("message_stop", {});
    return frames;
  },
};

/** A user's message that holds tool results is, in the common words, a tool's message and then the user's. */
function seenMessages(message: Fields): SeenMessage[] {
  const parts = typeof message.content === "string" ? [{ type: "text", text: message.content }] : list(message.content);
  const ofType = (type: string) => parts.filter((part: Fields) => part.type === type) as readonly Fields[];
  const said = contentText(ofType("text"));
  if (message.role === "user") {
    const toolResults = ofType("tool_result").map((part) => ({
      id: text(part.tool_use_id),
      name: null,
      text: contentText(part.content),
    }));
    const images = ofType("image").length;
    return [
      ...(toolResults.length > 0 ? [{ role: "tool" as const, text: "", toolResults }] : []),
      ...(said !== "" || images > 0 ? [{ role: "user" as const, text: said, ...(images > 0 && { images }) }] : []),
    ];
  }
  const toolCalls = ofType("tool_use").map((part) => ({ id: text(part.id), name: text(part.name), input: part.input }));
  const [thought] = ofType("thinking");
  return [
    {
      role: "assistant",
      text: said,
      ...(thought !== undefined && { thinking: text(thought.thinking), signature: text(thought.signature) }),
      ...(toolCalls.length > 0 && { toolCalls }),
    },
  ];
}

function errorType(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 429) return "rate_limit_error";
  return status >= 500 ? "api_error" : "invalid_request_error";
}
