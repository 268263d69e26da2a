// Ollama's own chat API: a line of JSON for each piece, tool calls whole and without ids.
import { finishOf, piecesOf, type ScriptedToolCall } from "../script.ts";
import type { SeenMessage } from "../seen-request.ts";
import { type Fields, fields, list, text, type Wire } from "../wire.ts";

export const ollama: Wire = {
  name: "ollama",
  contentType: "application/x-ndjson",
  matches: (path) => path.endsWith("/api/chat"),
  junkFrame: "{this is not JSON\n",
  errorFrame: (message) => `${JSON.stringify({ error: message })}\n`,
  errorBody: (_status, message) => ({ error: message }),

  read(body) {
    const all = list(body.messages);
    return {
      model: text(body.model),
      system: all
        .filter(({ role }) => role === "system")
        .map((message) => text(message.content))
        .join("\n"),
      messages: all.flatMap(seenMessage),
      tools: list(body.tools).map((tool) => text(fields(tool.function).name)),
      maxOutputTokens: Number(fields(body.options).num_predict ?? Number.NaN) || null,
    };
  },

  frames(answer, model) {
    const line = (message: Fields, rest: Fields = {}) =>
      `${JSON.stringify({ model, created_at: "2026-01-01T00:00:00Z", message: { role: "assistant", content: "", ...message }, done: false, ...rest })}\n`;
    const { input = 100, output = 20 } = answer.usage ?? {};
    const calls = (answer.toolCalls ?? []).map((call) => ({ function: { name: call.name, arguments: argsOf(call) } }));
    return [
      ...piecesOf(answer.thinking).map((thinking) => line({ thinking })),
      ...piecesOf(answer.text).map((content) => line({ content })),
      ...(calls.length > 0 ? [line({ tool_calls: calls })] : []),
      line(
        {},
        {
          done: true,
          done_reason: finishOf(answer) === "max_tokens" ? "length" : "stop",
          prompt_eval_count: input,
          eval_count: output,
        },
      ),
    ];
  },
};

function argsOf({ broken, input }: ScriptedToolCall): unknown {
  return broken ?? input ?? {};
}

function seenMessage(message: Fields): SeenMessage[] {
  const said = text(message.content);
  switch (message.role) {
    case "user": {
      const images = Array.isArray(message.images) ? message.images.length : 0;
      return [{ role: "user", text: said, ...(images > 0 && { images }) }];
    }
    case "assistant": {
      const toolCalls = list(message.tool_calls).map((call) => ({
        id: null,
        name: text(fields(call.function).name),
        input: fields(call.function).arguments,
      }));
      const thinking = text(message.thinking);
      return [
        {
          role: "assistant",
          text: said,
          ...(thinking !== "" && { thinking }),
          ...(toolCalls.length > 0 && { toolCalls }),
        },
      ];
    }
    case "tool":
      return [{ role: "tool", text: "", toolResults: [{ id: null, name: text(message.tool_name), text: said }] }];
    default:
      return [];
  }
}
