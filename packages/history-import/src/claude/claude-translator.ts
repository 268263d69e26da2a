// Translates a session of Claude Code, line by line, to ACP updates. Lines of sub-agents are left out: their result is the result of the tool
// call that started them.
import { stripVTControlCharacters } from "node:util";
import {
  type ContentBlock,
  type JsonObject,
  makePlan,
  makeToolCall,
  makeToolCallUpdate,
  readObjects,
  readText,
  type StopReason,
} from "@signalbox/protocol";
import {
  describeClaudeResult,
  describeClaudeTool,
  planFromTodos,
  type ToolDescription,
  textContent,
} from "@signalbox/tool-calls";
import type { HistoryEntry, HistoryHead, HistoryTranslator } from "../history.ts";
import { HistoryBuilder } from "../history-builder.ts";
import { readNumber, readObject, readTime } from "../json-fields.ts";
import { readUserText } from "./user-text.ts";

/** Claude Code's own bookkeeping, some of it large. It is not part of the conversation. */
const bookKeeping = new Set([
  "file-history-snapshot",
  "queue-operation",
  "progress",
  "summary",
  "custom-title",
  "ai-title",
]);

export class ClaudeTranslator implements HistoryTranslator {
  readonly #builder: HistoryBuilder;
  readonly #cwd: string;
  /** Usage by message: a message is spread over several lines that repeat it. */
  readonly #usage = new Map<string, JsonObject>();
  /** Calls that have no result yet. */
  readonly #calls = new Map<string, ToolDescription>();
  #stopReason: StopReason = "end_turn";

  constructor({ sessionId, cwd, startedAt }: HistoryHead) {
    this.#cwd = cwd;
    this.#builder = new HistoryBuilder(sessionId, startedAt);
  }

  get count(): number {
    return this.#builder.count;
  }

  translate(line: JsonObject): readonly HistoryEntry[] {
    const type = readText(line, "type") ?? "";
    if (line.isSidechain === true || bookKeeping.has(type)) return this.#builder.takeEntries();
    const at = readTime(line, "timestamp");
    if (type === "user") this.#takeUser(line, at);
    else {
      this.#builder.advanceTime(at);
      if (type === "assistant") this.#takeAssistant(line);
      else this.#builder.addNotification(`_claude_code/${type}`, line);
    }
    return this.#builder.takeEntries();
  }

  end(): readonly HistoryEntry[] {
    return this.#builder.close(this.#computeTurnUsage());
  }

  #takeUser(line: JsonObject, at: number | null): void {
    const message = readObject(line, "message");
    // Claude Code adds these in the user's name: caveats, and the summary from which a long conversation continues.
    if (line.isMeta === true || line.isCompactSummary === true) {
      this.#builder.advanceTime(at);
      return this.#builder.addNotification("_claude_code/meta", line);
    }
    const { content } = message;
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : readObjects(content);
    const prompt: ContentBlock[] = [];
    for (const block of blocks) {
      switch (block.type) {
        case "tool_result":
          this.#builder.advanceTime(at);
          this.#takeResult(block, line);
          break;
        case "text":
          this.#takeText(readText(block, "text") ?? "", at, prompt);
          break;
        default:
          prompt.push(...readContentBlocks([block]));
      }
    }
    if (prompt.length > 0) this.#beginTurn(at, prompt);
  }

  #takeText(text: string, at: number | null, prompt: ContentBlock[]): void {
    const words = readUserText(text);
    switch (words.type) {
      case "prompt":
        prompt.push({ type: "text", text: words.text });
        return;
      case "output":
        this.#builder.advanceTime(at);
        return this.#builder.addText("agent_message_chunk", stripVTControlCharacters(words.text));
      case "interruption":
        this.#builder.advanceTime(at);
        this.#builder.endTurn("cancelled", this.#computeTurnUsage());
        return this.#forgetTurn();
      case "nothing":
        return;
    }
  }

  #beginTurn(at: number | null, prompt: readonly ContentBlock[]): void {
    const { isInTurn } = this.#builder;
    if (isInTurn) this.#builder.endTurn(this.#stopReason, this.#computeTurnUsage());
    this.#forgetTurn();
    this.#builder.beginTurn(at, prompt);
  }

  #takeAssistant(line: JsonObject): void {
    const message = readObject(line, "message");
    const id = readText(message, "id");
    if (id !== null) this.#usage.set(id, readObject(message, "usage"));
    this.#stopReason = stopReasons[readText(message, "stop_reason") ?? ""] ?? "end_turn";
    const blocks = readObjects(message.content);
    if (line.isApiErrorMessage === true) {
      this.#builder.failTurn(blocks.map((block) => readText(block, "text") ?? "").join("\n"));
      return this.#forgetTurn();
    }
    for (const block of blocks) this.#takeBlock(block);
  }

  #takeBlock(block: JsonObject): void {
    switch (block.type) {
      case "text":
        return this.#builder.addText("agent_message_chunk", readText(block, "text") ?? "");
      case "thinking":
        return this.#builder.addText("agent_thought_chunk", readText(block, "thinking") ?? "");
      case "tool_use":
      case "server_tool_use":
        return this.#takeToolUse(block);
      case "web_search_tool_result":
      case "web_fetch_tool_result":
        return this.#takeResult(block, {});
      default:
        return this.#builder.addNotification("_claude_code/block", block);
    }
  }

  #takeToolUse(block: JsonObject): void {
    const toolCallId = readText(block, "id") ?? `import-${this.#builder.count}`;
    const name = readText(block, "name") ?? "";
    const input = readObject(block, "input");
    const description = describeClaudeTool(name, input, this.#cwd);
    this.#calls.set(toolCallId, description);
    const _meta = { claudeCode: { toolName: name } };
    this.#builder.addUpdate(
      makeToolCall({ toolCallId, ...description, status: "in_progress", rawInput: input, _meta }),
    );
    if (description.name !== "TodoWrite") return;
    this.#builder.addUpdate(makePlan(planFromTodos(input)?.entries ?? []));
  }

  #takeResult(block: JsonObject, line: JsonObject): void {
    const toolCallId = readText(block, "tool_use_id");
    if (toolCallId === null) return;
    const call = this.#calls.get(toolCallId);
    this.#calls.delete(toolCallId);
    const { content, is_error } = block;
    const { toolUseResult } = line;
    const result = { content, isError: is_error === true, toolUseResult };
    const { failure, ...report } = describeClaudeResult(call ?? {}, result);
    const status = failure === undefined ? "completed" : "failed";
    const shown = failure === undefined ? report : { content: [...(call?.content ?? []), textContent(failure)] };
    const output = toolUseResult === undefined ? {} : { rawOutput: toolUseResult };
    this.#builder.addUpdate(makeToolCallUpdate({ toolCallId, status, ...shown, ...output }));
  }

  #forgetTurn(): void {
    this.#usage.clear();
    this.#stopReason = "end_turn";
  }

  #computeTurnUsage(): JsonObject | null {
    if (this.#usage.size === 0) return null;
    const sum = (name: string) =>
      [...this.#usage.values()].reduce((total, usage) => total + readNumber(usage, name), 0);
    const inputTokens = sum("input_tokens");
    const outputTokens = sum("output_tokens");
    const cachedReadTokens = sum("cache_read_input_tokens");
    const cachedWriteTokens = sum("cache_creation_input_tokens");
    const totalTokens = inputTokens + outputTokens + cachedReadTokens + cachedWriteTokens;
    return { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens, totalTokens };
  }
}

const stopReasons: Readonly<Record<string, StopReason>> = { max_tokens: "max_tokens", refusal: "refusal" };

/** Converts Anthropic's blocks to ACP's. A block without a counterpart in ACP stays as it is. */
function readContentBlocks(blocks: readonly JsonObject[]): readonly ContentBlock[] {
  return blocks.map((block): ContentBlock => {
    const source = readObject(block, "source");
    if (block.type === "image" && source.type === "base64") {
      return {
        type: "image",
        mimeType: readText(source, "media_type") ?? "image/png",
        data: readText(source, "data") ?? "",
      };
    }
    return { ...block, type: readText(block, "type") ?? "unknown" };
  });
}
