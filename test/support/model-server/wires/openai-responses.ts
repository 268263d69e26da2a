// OpenAI's Responses API.
import { type Answer, argumentsText, finishOf, piecesOf, type ScriptedToolCall } from "../script.ts";
import type { SeenMessage } from "../seen-request.ts";
import { contentText, event, type Fields, freshId, list, parsed, text, type Wire } from "../wire.ts";

export const openAIResponses: Wire = {
  name: "openai-responses",
  contentType: "text/event-stream",
  matches: (path) => path.endsWith("/responses"),
  junkFrame: "data: {this is not JSON\n\n",
  errorFrame: (message) =>
    event({ type: "error", sequence_number: 99, error: { type: "server_error", code: "server_error", message } }),
  errorBody: (status, message) => ({
    error: { message, type: "invalid_request_error", param: null, code: `${status}` },
  }),

  read(body) {
    const input = list(body.input);
    return {
      model: text(body.model),
      system: input
        .filter(({ role }) => role === "system" || role === "developer")
        .map((item) => contentText(item.content))
        .join("\n"),
      messages: input.flatMap(seenMessage),
      tools: list(body.tools).map((tool) => text(tool.name)),
      maxOutputTokens: Number(body.max_output_tokens ?? Number.NaN) || null,
    };
  },

  frames(answer, model) {
    const response = { id: freshId("resp_"), object: "response", created_at: 1_700_000_000, model };
    const frames: string[] = [];
    let sequence = 0;
    const send = (type: string, rest: Fields) =>
      frames.push(event({ type, sequence_number: sequence++, ...rest }, type));
    send("response.created", { response: { ...response, status: "in_progress", output: [] } });
    let index = 0;
    if (answer.thinking !== undefined) sendThought(send, index++, answer);
    if (answer.text !== undefined) sendText(send, index++, answer);
    for (const call of answer.toolCalls ?? []) sendCall(send, index++, call);
    const { input = 100, output = 20, cached = 0 } = answer.usage ?? {};
    const finish = finishOf(answer);
    const usage = {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output,
    };
    if (finish === "max_tokens" || finish === "refusal") {
      const reason = finish === "max_tokens" ? "max_output_tokens" : "content_filter";
      send("response.incomplete", {
        response: { ...response, status: "incomplete", incomplete_details: { reason }, output: [], usage },
      });
    } else send("response.completed", { response: { ...response, status: "completed", output: [], usage } });
    return frames;
  },
};

type Send = (type: string, rest: Fields) => void;

function sendThought(send: Send, output_index: number, answer: Answer): void {
  const id = freshId("rs_");
  const encrypted = { encrypted_content: answer.signature ?? null };
  const item = { id, type: "reasoning", summary: [] };
  send("response.output_item.added", { output_index, item: { ...item, encrypted_content: null } });
  send("response.reasoning_summary_part.added", {
    item_id: id,
    output_index,
    summary_index: 0,
    part: { type: "summary_text", text: "" },
  });
  for (const delta of piecesOf(answer.thinking)) {
    send("response.reasoning_summary_text.delta", { item_id: id, output_index, summary_index: 0, delta });
  }
  send("response.reasoning_summary_part.done", {
    item_id: id,
    output_index,
    summary_index: 0,
    part: { type: "summary_text", text: answer.thinking ?? "" },
  });
  send("response.output_item.done", {
    output_index,
    item: { ...item, summary: [{ type: "summary_text", text: answer.thinking ?? "" }], ...encrypted },
  });
}

function sendText(send: Send, output_index: number, answer: Answer): void {
  const id = freshId("msg_");
  const item = { id, type: "message", role: "assistant", status: "in_progress", content: [] };
  const pieces = piecesOf(answer.text);
  send("response.output_item.added", { output_index, item });
  for (const delta of pieces) {
    send("response.output_text.delta", { item_id: id, output_index, content_index: 0, delta, logprobs: [] });
  }
  const content = [{ type: "output_text", text: pieces.join(""), annotations: [], logprobs: [] }];
  send("response.output_item.done", { output_index, item: { ...item, status: "completed", content } });
}

function sendCall(send: Send, output_index: number, call: ScriptedToolCall): void {
  const id = freshId("fc_");
  const json = argumentsText(call);
  const half = Math.ceil(json.length / 2);
  const item = { id, type: "function_call", call_id: call.id ?? freshId("call_"), name: call.name };
  send("response.output_item.added", { output_index, item: { ...item, arguments: "", status: "in_progress" } });
  for (const delta of [json.slice(0, half), json.slice(half)]) {
    send("response.function_call_arguments.delta", { item_id: id, output_index, delta });
  }
  send("response.function_call_arguments.done", { item_id: id, output_index, arguments: json });
  send("response.output_item.done", { output_index, item: { ...item, arguments: json, status: "completed" } });
}

function seenMessage(item: Fields): SeenMessage[] {
  if (item.role === "user") {
    const images = list(item.content).filter((part) => part.type === "input_image").length;
    return [{ role: "user", text: contentText(item.content), ...(images > 0 && { images }) }];
  }
  if (item.role === "assistant") return [{ role: "assistant", text: contentText(item.content) }];
  switch (item.type) {
    case "reasoning": {
      const signature = text(item.encrypted_content);
      const thinking = contentText(item.summary);
      return [{ role: "assistant", text: "", thinking, ...(signature !== "" && { signature }) }];
    }
    case "function_call":
      return [
        {
          role: "assistant",
          text: "",
          toolCalls: [{ id: text(item.call_id), name: text(item.name), input: parsed(item.arguments) }],
        },
      ];
    case "function_call_output": {
      const said = typeof item.output === "string" ? item.output : contentText(item.output);
      return [{ role: "tool", text: "", toolResults: [{ id: text(item.call_id), name: null, text: said }] }];
    }
    default:
      return [];
  }
}
