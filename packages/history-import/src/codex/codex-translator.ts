// Translates a rollout of Codex, line by line, to ACP updates. Response items have what the model wrote and called; events have what the user
// wrote, how turns ended and what they cost. Each fact is read from one of the two, never from both.
import {
  type ContentBlock,
  type JsonObject,
  makePlan,
  makeToolCall,
  makeToolCallUpdate,
  readObjects,
  readText,
} from "@signalbox/protocol";
import type { ToolDescription } from "@signalbox/tool-calls";
import type { HistoryEntry, HistoryHead, HistoryTranslator } from "../history.ts";
import { HistoryBuilder } from "../history-builder.ts";
import { parseObject, readNumber, readObject } from "../json-fields.ts";
import { describeCodexTool, makeImageBlock, readCodexOutput, readCodexPlan } from "./codex-tools.ts";
import { isInjected, readMessageText, readRolloutLine } from "./rollout-line.ts";

export interface CodexHead extends HistoryHead {
  /** Old rollouts have no events: the user's words are then among the response items. */
  readonly hasUserEvents: boolean;
}

export class CodexTranslator implements HistoryTranslator {
  readonly #builder: HistoryBuilder;
  readonly #head: CodexHead;
  /** Changes of patches that have no result yet. */
  readonly #patches = new Map<string, ToolDescription["content"]>();
  /** All tokens of the session so far, and when the turn began. */
  #tokens: JsonObject = {};
  #tokensBefore: JsonObject = {};

  constructor(head: CodexHead) {
    this.#head = head;
    this.#builder = new HistoryBuilder(head.sessionId, head.startedAt);
  }

  get count(): number {
    return this.#builder.count;
  }

  translate(line: JsonObject): readonly HistoryEntry[] {
    const { type, at, payload } = readRolloutLine(line);
    if (type === "event_msg") this.#takeEvent(payload, at);
    else if (type === "response_item") this.#takeItem(payload, at);
    else if (type === "compacted") {
      this.#builder.advanceTime(at);
      this.#builder.addNotification("_codex/compacted", payload);
    }
    return this.#builder.takeEntries();
  }

  end(): readonly HistoryEntry[] {
    return this.#builder.close(this.#computeTurnUsage());
  }

  #takeEvent(event: JsonObject, at: number | null): void {
    switch (event.type) {
      case "user_message": {
        const images = [event.images, event.local_images].flatMap((list) => (Array.isArray(list) ? list : []));
        const blocks = images.filter((image) => typeof image === "string").map(makeImageBlock);
        const text = readText(event, "message") ?? "";
        if (isInjected(text)) return;
        return this.#beginTurn(at, [{ type: "text", text }, ...blocks]);
      }
      case "token_count": {
        const { info } = event;
        if (info !== null && info !== undefined)
          this.#tokens = readObject(readObject(event, "info"), "total_token_usage");
        return;
      }
      case "task_complete":
      case "turn_complete":
        this.#builder.advanceTime(at);
        return this.#builder.endTurn("end_turn", this.#computeTurnUsage());
      case "turn_aborted":
        this.#builder.advanceTime(at);
        return this.#builder.endTurn("cancelled", this.#computeTurnUsage());
      case "error":
        this.#builder.advanceTime(at);
        return this.#builder.failTurn(readText(event, "message") ?? "Codex failed and did not say why.");
      default:
        // The other events repeat the response items.
        return;
    }
  }

  #takeItem(item: JsonObject, at: number | null): void {
    if (item.type === "message" && item.role !== "assistant") {
      const text = readMessageText(item);
      if (item.role !== "user" || this.#head.hasUserEvents || isInjected(text)) return;
      return this.#beginTurn(at, [{ type: "text", text }]);
    }
    this.#builder.advanceTime(at);
    switch (item.type) {
      case "message":
        return this.#builder.addText("agent_message_chunk", readMessageText(item));
      case "reasoning": {
        const thoughts = [...readObjects(item.summary), ...readObjects(item.content)];
        return this.#builder.addText(
          "agent_thought_chunk",
          thoughts.map((part) => readText(part, "text") ?? "").join("\n\n"),
        );
      }
      case "function_call":
        return this.#takeCall(item, readText(item, "name") ?? "", parseObject(readText(item, "arguments") ?? ""));
      case "custom_tool_call":
        return this.#takeCall(item, readText(item, "name") ?? "", { input: item.input ?? null });
      case "local_shell_call":
        return this.#takeCall(item, "local_shell", { action: item.action ?? null });
      case "web_search_call":
        // The provider runs the search, so no result follows.
        return this.#takeCall(item, "web_search", { action: item.action ?? null }, "completed");
      case "function_call_output":
      case "custom_tool_call_output":
      case "local_shell_call_output":
        return this.#takeOutput(item);
      default:
        return this.#builder.addNotification(`_codex/${readText(item, "type") ?? "item"}`, item);
    }
  }

  #beginTurn(at: number | null, prompt: readonly ContentBlock[]): void {
    if (this.#builder.isInTurn) this.#builder.endTurn("end_turn", this.#computeTurnUsage());
    this.#tokensBefore = this.#tokens;
    this.#builder.beginTurn(at, prompt);
  }

  #takeCall(item: JsonObject, name: string, input: JsonObject, status = "in_progress"): void {
    const toolCallId = readText(item, "call_id") ?? readText(item, "id") ?? `import-${this.#builder.count}`;
    const description = describeCodexTool(name, input, this.#head.cwd);
    if (description.content.length > 0) this.#patches.set(toolCallId, description.content);
    const _meta = { codex: { toolName: name } };
    this.#builder.addUpdate(makeToolCall({ toolCallId, ...description, status, rawInput: input, _meta }));
    const entries = readCodexPlan(name, input);
    if (entries !== null) this.#builder.addUpdate(makePlan(entries));
  }

  #takeOutput(item: JsonObject): void {
    const toolCallId = readText(item, "call_id");
    if (toolCallId === null) return;
    const { failed, content } = readCodexOutput(item.output);
    const patch = this.#patches.get(toolCallId) ?? [];
    this.#patches.delete(toolCallId);
    const status = failed ? "failed" : "completed";
    // The output of a successful patch says less than the change itself, which the call shows already.
    const result =
      patch.length > 0 && !failed ? { rawOutput: item.output ?? null } : { content: [...patch, ...content] };
    this.#builder.addUpdate(makeToolCallUpdate({ toolCallId, status, ...result }));
  }

  #computeTurnUsage(): JsonObject | null {
    const countTokens = (name: string) =>
      Math.max(0, readNumber(this.#tokens, name) - readNumber(this.#tokensBefore, name));
    const totalTokens = countTokens("total_tokens");
    if (totalTokens === 0) return null;
    const cachedReadTokens = countTokens("cached_input_tokens");
    return {
      inputTokens: Math.max(0, countTokens("input_tokens") - cachedReadTokens),
      outputTokens: countTokens("output_tokens"),
      thoughtTokens: countTokens("reasoning_output_tokens"),
      cachedReadTokens,
      totalTokens,
    };
  }
}
