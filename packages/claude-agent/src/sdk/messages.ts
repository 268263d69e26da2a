// Reads the messages of Claude Code that a client needs from what the SDK yields. Any other message is null, also kinds that later versions
// add.
import { type Fields, readCount, readFields, readList, readText } from "./json.ts";

export type ClaudeMessage =
  | {
      readonly type: "message_start";
      readonly messageId: string;
      readonly parent: string | null;
      readonly tokens: number;
    }
  | { readonly type: "tokens"; readonly parent: string | null; readonly tokens: number }
  | {
      readonly type: "delta";
      readonly kind: "text" | "thinking";
      readonly text: string;
      readonly parent: string | null;
    }
  | { readonly type: "tool_begin"; readonly id: string; readonly name: string; readonly parent: string | null }
  | AssistantMessage
  | UserMessage
  | TurnResult
  | { readonly type: "init"; readonly mode: string | null; readonly model: string | null }
  | { readonly type: "mode"; readonly mode: string }
  | Retry
  | { readonly type: "commands"; readonly commands: readonly unknown[] }
  | { readonly type: "tool_progress"; readonly toolUseId: string }
  | { readonly type: "command_output"; readonly text: string };

export interface AssistantMessage {
  readonly type: "assistant";
  readonly messageId: string;
  readonly parent: string | null;
  readonly blocks: readonly Block[];
  /** Set when this is no answer but the words of an error. */
  readonly error: string | null;
}

export interface UserMessage {
  readonly type: "user";
  readonly parent: string | null;
  readonly blocks: readonly Block[];
  /** The tool's answer to Claude Code, not to the model; its form depends on the tool. */
  readonly toolUseResult: unknown;
  /** Written by Claude Code, not by the person. */
  readonly isSynthetic: boolean;
}

type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: Fields }
  | { readonly type: "tool_result"; readonly toolUseId: string; readonly content: unknown; readonly isError: boolean }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string };

export interface TurnResult {
  readonly type: "result";
  readonly subtype: string;
  readonly isError: boolean;
  readonly stopReason: string | null;
  readonly terminalReason: string | null;
  readonly apiStatus: number | null;
  /** The last text, or the reason for a failure. */
  readonly text: string;
  /** The prompts that this ends; empty where it does not say. */
  readonly promptIds: readonly string[];
  /** Prompts that wait behind it. */
  readonly queuedPrompts: number;
  readonly costUsd: number;
  /** Of the model that was asked most. */
  readonly contextWindow: number | null;
}

export interface Retry {
  readonly type: "retry";
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly delayMs: number;
  readonly status: number | null;
  readonly error: string;
}

export function readMessage(value: unknown): ClaudeMessage | null {
  const fields = readFields(value);
  switch (fields.type) {
    case "stream_event":
      return streamed(readFields(fields.event), readText(fields.parent_tool_use_id));
    case "assistant":
      return assistantMessage(fields);
    case "user":
      return userMessage(fields);
    case "result":
      return turnResult(fields);
    case "system":
      return systemMessage(fields);
    case "tool_progress":
      return { type: "tool_progress", toolUseId: readText(fields.tool_use_id) ?? "" };
    default:
      return null;
  }
}

function streamed(event: Fields, parent: string | null): ClaudeMessage | null {
  switch (event.type) {
    case "message_start": {
      const message = readFields(event.message);
      return {
        type: "message_start",
        messageId: readText(message.id) ?? "",
        parent,
        tokens: countTokens(message.usage),
      };
    }
    case "message_delta":
      return { type: "tokens", parent, tokens: countTokens(event.usage) };
    case "content_block_start": {
      const { type, id, name } = readFields(event.content_block);
      if (type !== "tool_use" || typeof id !== "string" || typeof name !== "string") return null;
      return { type: "tool_begin", id, name, parent };
    }
    case "content_block_delta": {
      const { type, text, thinking } = readFields(event.delta);
      if (type === "text_delta" && typeof text === "string") return { type: "delta", kind: "text", text, parent };
      if (type !== "thinking_delta" || typeof thinking !== "string") return null;
      return { type: "delta", kind: "thinking", text: thinking, parent };
    }
    default:
      return null;
  }
}

/** Counts the tokens in the context after the message, input and output together. */
function countTokens(usage: unknown): number {
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = readFields(usage);
  const all = [input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens];
  return all.reduce<number>((sum, tokens) => sum + readCount(tokens), 0);
}

export function assistantMessage(fields: Fields): AssistantMessage {
  const message = readFields(fields.message);
  return {
    type: "assistant",
    messageId: readText(message.id) ?? "",
    parent: readText(fields.parent_tool_use_id),
    blocks: readBlocks(message.content),
    error: readText(fields.error),
  };
}

export function userMessage(fields: Fields): UserMessage {
  return {
    type: "user",
    parent: readText(fields.parent_tool_use_id),
    blocks: readBlocks(readFields(fields.message).content),
    toolUseResult: fields.tool_use_result,
    isSynthetic: fields.isSynthetic === true,
  };
}

function turnResult(fields: Fields): TurnResult {
  const errors = readList(fields.errors).filter((each) => typeof each === "string");
  const promptIds = [...readList(fields.user_message_uuids), fields.user_message_uuid].filter(
    (id) => typeof id === "string",
  );
  return {
    type: "result",
    subtype: readText(fields.subtype) ?? "",
    isError: fields.is_error === true || fields.subtype !== "success",
    stopReason: readText(fields.stop_reason),
    terminalReason: readText(fields.terminal_reason),
    apiStatus: typeof fields.api_error_status === "number" ? fields.api_error_status : null,
    text: readText(fields.result) ?? errors.join("\n"),
    promptIds: [...new Set(promptIds)],
    queuedPrompts: readCount(fields.queued_turn_count),
    costUsd: readCount(fields.total_cost_usd),
    contextWindow: readContextWindow(fields.modelUsage),
  };
}

function readContextWindow(modelUsage: unknown): number | null {
  const models = Object.values(readFields(modelUsage)).map(readFields);
  const [most] = models.toSorted((a, b) => readCount(b.inputTokens) - readCount(a.inputTokens));
  return most === undefined || readCount(most.contextWindow) === 0 ? null : readCount(most.contextWindow);
}

function systemMessage(fields: Fields): ClaudeMessage | null {
  switch (fields.subtype) {
    case "init":
      return { type: "init", mode: readText(fields.permissionMode), model: readText(fields.model) };
    case "status":
      return typeof fields.permissionMode === "string" ? { type: "mode", mode: fields.permissionMode } : null;
    case "api_retry":
      return {
        type: "retry",
        attempt: readCount(fields.attempt),
        maxAttempts: readCount(fields.max_retries),
        delayMs: readCount(fields.retry_delay_ms),
        status: typeof fields.error_status === "number" ? fields.error_status : null,
        error: readText(fields.error) ?? "unknown",
      };
    case "commands_changed":
      return { type: "commands", commands: readList(fields.commands) };
    case "local_command_output":
      return { type: "command_output", text: readText(fields.content) ?? "" };
    default:
      return null;
  }
}

function readBlocks(content: unknown): readonly Block[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return readList(content).flatMap((value): Block[] => {
    const { type, text, thinking, id, name, input, tool_use_id, content: result, is_error, source } = readFields(value);
    if (type === "text" && typeof text === "string") return [{ type, text }];
    if (type === "thinking" && typeof thinking === "string") return [{ type, text: thinking }];
    if (type === "tool_use" && typeof id === "string" && typeof name === "string") {
      return [{ type, id, name, input: readFields(input) }];
    }
    if (type === "tool_result" && typeof tool_use_id === "string") {
      return [{ type, toolUseId: tool_use_id, content: result, isError: is_error === true }];
    }
    const { data, media_type } = readFields(source);
    if (type === "image" && typeof data === "string" && typeof media_type === "string") {
      return [{ type, data, mimeType: media_type }];
    }
    return [];
  });
}
