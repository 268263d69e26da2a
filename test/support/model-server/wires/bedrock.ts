// Amazon Bedrock's ConverseStream: JSON events in AWS's binary frames (`application/vnd.amazon.eventstream`).
import { crc32 } from "node:zlib";
import { argumentsText, type Finish, finishOf, piecesOf } from "../script.ts";
import type { SeenMessage } from "../seen-request.ts";
import { contentText, type Fields, fields, freshId, list, text, type Wire } from "../wire.ts";

const stopReasons: Readonly<Record<Finish, string>> = {
  stop: "end_turn",
  tool_calls: "tool_use",
  max_tokens: "max_tokens",
  refusal: "guardrail_intervened",
};

export const bedrock: Wire = {
  name: "bedrock",
  contentType: "application/vnd.amazon.eventstream",
  encoding: "latin1",
  matches: (path) => path.endsWith("/converse-stream"),
  junkFrame: frame("event", "contentBlockDelta", {}).replace(/.$/s, "\0"),
  errorFrame: (message) => frame("exception", "serviceUnavailableException", { message }),
  errorBody: (_status, message) => ({ message }),

  read(body, path) {
    const tools = list(fields(body.toolConfig).tools).map((tool) => fields(tool.toolSpec));
    return {
      model: decodeURIComponent(/\/model\/([^/]+)\//.exec(path)?.[1] ?? ""),
      system: contentText(body.system),
      messages: list(body.messages).flatMap(seenMessages),
      tools: tools.map((tool) => text(tool.name)),
      maxOutputTokens: Number(fields(body.inferenceConfig).maxTokens ?? Number.NaN) || null,
    };
  },

  frames(answer) {
    const frames: string[] = [];
    // Real ones hide their length behind letters.
    const send = (name: string, event: Fields) => frames.push(frame("event", name, { ...event, p: "abcdefgh" }));
    const { input = 100, output = 20, cached = 0 } = answer.usage ?? {};
    send("messageStart", { role: "assistant" });
    let contentBlockIndex = 0;
    const block = (deltas: readonly Fields[], start?: Fields) => {
      if (start !== undefined) send("contentBlockStart", { contentBlockIndex, start });
      for (const delta of deltas) send("contentBlockDelta", { contentBlockIndex, delta });
      send("contentBlockStop", { contentBlockIndex });
      contentBlockIndex++;
    };
    if (answer.thinking !== undefined) {
      const pieces = piecesOf(answer.thinking).map((piece) => ({ reasoningContent: { text: piece } }));
      block([...pieces, { reasoningContent: { signature: answer.signature ?? "signed" } }]);
    }
    if (answer.text !== undefined) block(piecesOf(answer.text).map((piece) => ({ text: piece })));
    for (const call of answer.toolCalls ?? []) {
      const json = argumentsText(call);
      const half = Math.ceil(json.length / 2);
      block(
        [json.slice(0, half), json.slice(half)].map((piece) => ({ toolUse: { input: piece } })),
        { toolUse: { toolUseId: call.id ?? freshId("tooluse_"), name: call.name } },
      );
    }
    send("messageStop", { stopReason: stopReasons[finishOf(answer)] });
    send("metadata", {
      usage: {
        inputTokens: input - cached,
        outputTokens: output,
        totalTokens: input + output,
        cacheReadInputTokens: cached,
        cacheWriteInputTokens: 0,
      },
      metrics: { latencyMs: 1 },
    });
    return frames;
  },
};

/** Lengths, a checksum of them, the headers, the body, a checksum of everything. */
function frame(type: "event" | "exception", name: string, event: Fields): string {
  const headers = Buffer.concat([
    header(`:${type}-type`, name),
    header(":content-type", "application/json"),
    header(":message-type", type),
  ]);
  const body = Buffer.from(JSON.stringify(event));
  const lengths = numbers(headers.length + body.length + 16, headers.length);
  const head = Buffer.concat([lengths, numbers(crc32(lengths)), headers, body]);
  return Buffer.concat([head, numbers(crc32(head))]).toString("latin1");
}

function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(value.length);
  // 7: the value is text.
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7]), length, Buffer.from(value)]);
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}

/** A user's message that holds tool results is, in the common words, a tool's message and then the user's. */
function seenMessages(message: Fields): SeenMessage[] {
  const parts = list(message.content);
  const all = (name: string) => parts.flatMap((part) => (part[name] === undefined ? [] : [fields(part[name])]));
  const said = contentText(parts);
  if (message.role === "user") {
    const images = all("image").length;
    const toolResults = all("toolResult").map((result) => ({
      id: text(result.toolUseId),
      name: null,
      text: contentText(result.content),
    }));
    return [
      ...(toolResults.length > 0 ? [{ role: "tool" as const, text: "", toolResults }] : []),
      ...(said !== "" || images > 0 ? [{ role: "user" as const, text: said, ...(images > 0 && { images }) }] : []),
    ];
  }
  const toolCalls = all("toolUse").map(({ toolUseId, name, input }) => ({
    id: text(toolUseId),
    name: text(name),
    input,
  }));
  const [thought] = all("reasoningContent").map((content) => fields(content.reasoningText));
  return [
    {
      role: "assistant",
      text: said,
      ...(thought !== undefined && { thinking: text(thought.text), signature: text(thought.signature) }),
      ...(toolCalls.length > 0 && { toolCalls }),
    },
  ];
}
