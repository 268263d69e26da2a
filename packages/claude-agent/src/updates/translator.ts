// Translates the messages of one session of Claude Code to ACP updates: text, thoughts, tool calls, plan, usage, commands, mode.
import type { SessionNotification, SessionUpdate } from "@agentclientprotocol/sdk";
import type { SessionUpdates } from "@signalbox/tool-calls";
import { readFields, readText } from "../sdk/json.ts";
import type { AssistantMessage, ClaudeMessage, Retry, UserMessage } from "../sdk/messages.ts";
import { availableCommands } from "./commands.ts";
import type { SessionToolCalls } from "./session-tool-calls.ts";

interface TranslatorOptions {
  readonly sessionId: string;
  readonly client: SessionUpdates;
  readonly calls: SessionToolCalls;
  /** The client shows notices. */
  readonly showsNotices: boolean;
  /** Claude Code changed the mode by itself. */
  onMode(mode: string): void;
  /** A file was read by Claude Code's own tool. */
  onRead(path: string, firstLine: number, text: string, reachesEnd: boolean): void;
}

export class Translator {
  readonly #options: TranslatorOptions;
  /** Messages that were streamed: when they come once more as a whole, their text is known. */
  readonly #streamed = new Set<string>();
  #sending: Promise<void> = Promise.resolve();
  #messageId: string | null = null;
  #tokens = 0;
  #window: number | null = null;

  constructor(options: TranslatorOptions) {
    this.#options = options;
  }

  add(message: ClaudeMessage): void {
    const { calls } = this.#options;
    switch (message.type) {
      case "message_start":
        if (message.parent !== null) return;
        this.#streamed.add(message.messageId);
        this.#messageId = message.messageId;
        return this.#use(message.tokens);
      case "tokens":
        return message.parent === null ? this.#use(message.tokens) : undefined;
      case "delta":
        // A sub-agent's text is addressed to Claude, which reports to the person.
        return message.parent === null ? this.#appendText(message.kind, message.text) : undefined;
      case "tool_begin":
        calls.announce({ ...message, input: null });
        return;
      case "assistant":
        return this.#assistant(message);
      case "user":
        return this.#user(message);
      case "result":
        this.#streamed.clear();
        this.#window = message.contextWindow ?? this.#window;
        return this.#showUsage(message.costUsd);
      case "init":
        return message.mode === null ? undefined : this.#options.onMode(message.mode);
      case "mode":
        return this.#options.onMode(message.mode);
      case "retry":
        return this.#retry(message);
      case "commands":
        return this.send({
          sessionUpdate: "available_commands_update",
          availableCommands: availableCommands(message.commands),
        });
      case "tool_progress":
        return calls.start(message.toolUseId);
      case "command_output":
        return this.#appendText("text", message.text);
    }
  }

  /** A message of a stored conversation, whole. */
  replay(message: AssistantMessage | UserMessage): void {
    if (message.type === "user") {
      for (const text of saidByPerson(message)) {
        this.send({ sessionUpdate: "user_message_chunk", content: { type: "text", text } });
      }
    }
    this.add(message);
  }

  send(update: SessionUpdate): void {
    const { sessionId, client } = this.#options;
    const sent = client.sessionUpdate({ sessionId, update } satisfies SessionNotification);
    // A client that is gone ends the session by its connection.
    if (sent !== undefined) this.#sending = Promise.all([this.#sending, sent.catch(() => {})]).then(() => {});
  }

  /** Resolves when the client has taken everything so far. */
  async flush(): Promise<void> {
    await Promise.all([this.#sending, this.#options.calls.flush()]);
  }

  #assistant({ blocks, messageId, parent, error }: AssistantMessage): void {
    const isKnown = this.#streamed.has(messageId) || parent !== null;
    if (!isKnown) this.#messageId = messageId;
    for (const block of blocks) {
      if (block.type === "tool_use") this.#options.calls.announce({ ...block, parent });
      // The words of an error are the answer to the prompt.
      else if ((block.type === "text" || block.type === "thinking") && !isKnown && error === null) {
        this.#appendText(block.type, block.text);
      }
    }
  }

  #user({ blocks, toolUseResult, parent }: UserMessage): void {
    for (const block of blocks) {
      if (block.type === "tool_result") {
        this.#options.calls.end({ ...block, toolUseResult });
        this.#noteRead(toolUseResult);
      } else if (block.type === "text" && parent === null) {
        const output = commandOutput(block.text);
        if (output !== null) this.#appendText("text", output);
      }
    }
  }

  #noteRead(toolUseResult: unknown): void {
    const { type, file } = readFields(toolUseResult);
    const { filePath, content, startLine, numLines, totalLines } = readFields(file);
    if (type !== "text" || typeof filePath !== "string" || typeof content !== "string") return;
    const first = typeof startLine === "number" ? startLine : 1;
    this.#options.onRead(filePath, first, content, first - 1 + Number(numLines) >= Number(totalLines));
  }

  #appendText(kind: "text" | "thinking", text: string): void {
    if (text === "") return;
    const sessionUpdate = kind === "text" ? "agent_message_chunk" : "agent_thought_chunk";
    const content = { type: "text", text } as const;
    this.send({ sessionUpdate, content, ...(this.#messageId !== null && { messageId: this.#messageId }) });
  }

  #use(tokens: number): void {
    if (tokens === 0) return;
    this.#tokens = tokens;
    this.#showUsage(null);
  }

  /** Nothing before it is known how much there is room for. */
  #showUsage(costUsd: number | null): void {
    if (this.#window === null) return;
    const cost = costUsd === null ? {} : { cost: { amount: costUsd, currency: "USD" } };
    this.send({ sessionUpdate: "usage_update", used: this.#tokens, size: this.#window, ...cost });
  }

  #retry({ attempt, maxAttempts, delayMs, status, error }: Retry): void {
    if (!this.#options.showsNotices) return;
    const what = status === null ? error : `${error}, ${status}`;
    this.send({
      sessionUpdate: "notice",
      severity: "warning",
      title: `Claude does not answer (${what}). Trying again in ${Math.ceil(delayMs / 1000)} s, ${attempt} of ${maxAttempts}.`,
    });
  }
}

/** Reads the output of a command such as /compact. */
function commandOutput(text: string): string | null {
  const printed = /^<local-command-(?:stdout|stderr)>([^]*)<\/local-command-(?:stdout|stderr)>$/.exec(text.trim())?.[1];
  return printed === undefined || printed.trim() === "" ? null : printed.trim();
}

/** The person's own words in a stored message: Claude Code keeps its own there too. */
function saidByPerson({ blocks, parent, isSynthetic }: UserMessage): readonly string[] {
  if (parent !== null || isSynthetic) return [];
  return blocks.flatMap((block) => {
    if (block.type !== "text") return [];
    const command = /<command-name>([^]*?)<\/command-name>/.exec(block.text)?.[1];
    if (command !== undefined) {
      const words = readText(/<command-args>([^]*?)<\/command-args>/.exec(block.text)?.[1]) ?? "";
      return [`${command} ${words}`.trim()];
    }
    return /^\s*(?:<[a-z][\w-]*[ >]|\[Request interrupted|Caveat: )/.test(block.text) ? [] : [block.text];
  });
}
