// Translates a rollout of Codex, line by line, to ACP updates. Response items have what the model wrote and called; events have what the user
// wrote, how turns ended and what they cost. Each fact is read from one of the two, never from both.
import type { ContentBlock, JsonObject } from "@signalbox/protocol";
import type { ToolDescription } from "@signalbox/tool-calls";
import type { HistoryEntry, HistoryHead, HistoryTranslator } from "../history.ts";
import { HistoryBuilder } from "../history-builder.ts";
import { numberOf, objectOf, objectsOf, parsedObject, textOf } from "../json-fields.ts";
import { codexOutput, codexPlan, describeCodexTool, imageBlock } from "./codex-tools.ts";
import { isInjected, messageText, rolloutLine } from "./rollout-line.ts";

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
    const { type, at, payload } = rolloutLine(line);
    if (type === "event_msg") this.#takeEvent(payload, at);
    else if (type === "response_item") this.#takeItem(payload, at);
    else if (type === "compacted") {
      this.#builder.moveTo(at);
      this.#builder.notification("_codex/compacted", payload);
    }
    return this.#builder.takeEntries();
  }

  end(): readonly HistoryEntry[] {
    return this.#builder.close(this.#turnUsage());
  }

  #takeEvent(event: JsonObject, at: number | null): void {
    switch (event.type) {
      case "user_message": {
        const images = [event.images, event.local_images].flatMap((list) => (Array.isArray(list) ? list : []));
        const blocks = images.filter((image) => typeof image === "string").map(imageBlock);
        const text = textOf(event, "message") ?? "";
        if (isInjected(text)) return;
        return this.#prompt(at, [{ type: "text", text }, ...blocks]);
      }
      case "token_count": {
        const { info } = event;
        if (info !== null && info !== undefined) this.#tokens = objectOf(objectOf(event, "info"), "total_token_usage");
        return;
      }
      case "task_complete":
      case "turn_complete":
        this.#builder.moveTo(at);
        return this.#builder.endTurn("end_turn", this.#turnUsage());
      case "turn_aborted":
        this.#builder.moveTo(at);
        return this.#builder.endTurn("cancelled", this.#turnUsage());
      case "error":
        this.#builder.moveTo(at);
        return this.#builder.failTurn(textOf(event, "message") ?? "Codex failed and did not say why.");
      default:
        // The rest tells again what the response items tell.
        return;
    }
  }

  #takeItem(item: JsonObject, at: number | null): void {
    if (item.type === "message" && item.role !== "assistant") {
      const text = messageText(item);
      if (item.role !== "user" || this.#head.hasUserEvents || isInjected(text)) return;
      return this.#prompt(at, [{ type: "text", text }]);
    }
    this.#builder.moveTo(at);
    switch (item.type) {
      case "message":
        return this.#builder.text("agent_message_chunk", messageText(item));
      case "reasoning": {
        const thoughts = [...objectsOf(item.summary), ...objectsOf(item.content)];
        return this.#builder.text(
          "agent_thought_chunk",
          thoughts.map((part) => textOf(part, "text") ?? "").join("\n\n"),
        );
      }
      case "function_call":
        return this.#takeCall(item, textOf(item, "name") ?? "", parsedObject(textOf(item, "arguments") ?? ""));
      case "custom_tool_call":
        return this.#takeCall(item, textOf(item, "name") ?? "", { input: item.input ?? null });
      case "local_shell_call":
        return this.#takeCall(item, "local_shell", { action: item.action ?? null });
      case "web_search_call":
        // The search ran at the provider: no result of it follows.
        return this.#takeCall(item, "web_search", { action: item.action ?? null }, "completed");
      case "function_call_output":
      case "custom_tool_call_output":
      case "local_shell_call_output":
        return this.#takeOutput(item);
      default:
        return this.#builder.notification(`_codex/${textOf(item, "type") ?? "item"}`, item);
    }
  }

  #prompt(at: number | null, prompt: readonly ContentBlock[]): void {
    if (this.#builder.isInTurn) this.#builder.endTurn("end_turn", this.#turnUsage());
    this.#tokensBefore = this.#tokens;
    this.#builder.prompt(at, prompt);
  }

  #takeCall(item: JsonObject, name: string, input: JsonObject, status = "in_progress"): void {
    const toolCallId = textOf(item, "call_id") ?? textOf(item, "id") ?? `import-${this.#builder.count}`;
    const description = describeCodexTool(name, input, this.#head.cwd);
    if (description.content.length > 0) this.#patches.set(toolCallId, description.content);
    const call = { toolCallId, ...description, status, rawInput: input };
    this.#builder.update({ sessionUpdate: "tool_call", ...call, _meta: { codex: { toolName: name } } });
    const entries = codexPlan(name, input);
    if (entries !== null) this.#builder.update({ sessionUpdate: "plan", entries });
  }

  #takeOutput(item: JsonObject): void {
    const toolCallId = textOf(item, "call_id");
    if (toolCallId === null) return;
    const { failed, content } = codexOutput(item.output);
    const patch = this.#patches.get(toolCallId) ?? [];
    this.#patches.delete(toolCallId);
    this.#builder.update({
      sessionUpdate: "tool_call_update",
      toolCallId,
      status: failed ? "failed" : "completed",
      // What a patch that worked says about itself is less than the change that stands there.
      ...(patch.length > 0 && !failed ? { rawOutput: item.output ?? null } : { content: [...patch, ...content] }),
    });
  }

  #turnUsage(): JsonObject | null {
    const used = (name: string) => Math.max(0, numberOf(this.#tokens, name) - numberOf(this.#tokensBefore, name));
    const totalTokens = used("total_tokens");
    if (totalTokens === 0) return null;
    const cachedReadTokens = used("cached_input_tokens");
    return {
      inputTokens: Math.max(0, used("input_tokens") - cachedReadTokens),
      outputTokens: used("output_tokens"),
      thoughtTokens: used("reasoning_output_tokens"),
      cachedReadTokens,
      totalTokens,
    };
  }
}
