// A fake SDK for tests, in which the test sends the messages of Claude Code.
import type { ClaudeQuery, ClaudeSdk, QueryOptions, SdkInitialization, SdkUserMessage } from "../sdk/sdk.ts";

export class ScriptedConversation implements ClaudeQuery {
  readonly options: QueryOptions;
  /** Messages that were sent to Claude Code. */
  readonly prompts: SdkUserMessage[] = [];
  readonly asked: string[] = [];
  interrupts = 0;
  closed = false;
  onInterrupt: () => void = () => {};
  readonly #sdk: ScriptedSdk;
  readonly #messages: unknown[] = [];
  #end: { readonly error: Error | null } | null = null;
  #wake: () => void = () => {};

  constructor(sdk: ScriptedSdk, prompt: AsyncIterable<SdkUserMessage>, options: QueryOptions) {
    this.#sdk = sdk;
    this.options = options;
    void this.#listen(prompt);
  }

  /** Claude Code says something. */
  send(...messages: readonly object[]): void {
    this.#messages.push(...messages);
    this.#wake();
  }

  /** The turn of the last prompt is over. */
  finish(rest: object = {}): void {
    this.send({
      type: "result",
      subtype: "success",
      is_error: false,
      user_message_uuid: this.prompts.at(-1)?.uuid,
      ...rest,
    });
  }

  die(error: Error): void {
    this.#end = { error };
    this.#wake();
  }

  async interrupt(): Promise<void> {
    this.interrupts++;
    this.onInterrupt();
  }

  async setPermissionMode(mode: string): Promise<void> {
    this.asked.push(`mode ${mode}`);
  }

  async setModel(model?: string): Promise<void> {
    this.asked.push(`model ${model}`);
  }

  async initializationResult(): Promise<SdkInitialization> {
    return this.#sdk.initialization;
  }

  close(): void {
    this.closed = true;
    this.#end ??= { error: null };
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<unknown> {
    for (;;) {
      const next = this.#messages.shift();
      if (next !== undefined) yield next;
      else if (this.#end === null) await new Promise<void>((resolve) => (this.#wake = resolve));
      else if (this.#end.error === null) return;
      else throw this.#end.error;
    }
  }

  async #listen(prompt: AsyncIterable<SdkUserMessage>): Promise<void> {
    for await (const message of prompt) {
      this.prompts.push(message);
      this.#sdk.onPrompt(this);
    }
  }
}

export class ScriptedSdk implements ClaudeSdk {
  readonly conversations: ScriptedConversation[] = [];
  readonly stored = new Set<string>();
  initialization: SdkInitialization = {
    commands: [{ name: "compact", description: "Sum up", argumentHint: "" }],
    models: [
      { value: "default", displayName: "Default", description: "" },
      { value: "opus", displayName: "Opus", description: "" },
    ],
    account: { apiKeySource: "ANTHROPIC_API_KEY" },
  };
  /** Claude Code's reaction to a prompt. */
  onPrompt: (conversation: ScriptedConversation) => void = () => {};

  query({ prompt, options = {} }: { prompt: AsyncIterable<SdkUserMessage>; options?: QueryOptions }): ClaudeQuery {
    const conversation = new ScriptedConversation(this, prompt, options);
    this.conversations.push(conversation);
    return conversation;
  }

  createSdkMcpServer({ name }: { name: string }) {
    return { type: "sdk" as const, name, instance: null };
  }

  async listSessions() {
    return [...this.stored].map((sessionId) => ({ sessionId, summary: "Said", lastModified: 0, cwd: "/work" }));
  }

  async getSessionInfo(sessionId: string) {
    return this.stored.has(sessionId) ? { sessionId, summary: "Said", lastModified: 0 } : undefined;
  }

  async getSessionMessages() {
    return [];
  }

  async deleteSession(sessionId: string): Promise<void> {
    this.stored.delete(sessionId);
  }
}
